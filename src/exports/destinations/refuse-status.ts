const MOST_CHARACTERS = 300;

/** Throws unless the receiver accepted the batch. */
export function refuseStatus({ status, text }: { status: number; text: string }): void {
  if (status >= 200 && status < 300) return;
  const answer = text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MOST_CHARACTERS)
    .toWellFormed();
  throw new Error(`the receiver answered with status ${status}${answer === '' ? '' : `: ${answer}`}`);
}
