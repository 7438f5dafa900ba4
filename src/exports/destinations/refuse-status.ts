const MOST_CHARACTERS = 300;

/** Throws unless the receiver accepted the batch. */
export function refuseStatus({ status, text }: { status: number; text: string }): void {
  if (status >= 200 && status < 300) return;
  const answer = text.replaceAll(/\s+/g, ' ').trim().slice(0, MOST_CHARACTERS);
  throw new Error(`the receiver answered with status ${status}${answer === '' ? '' : `: ${answer}`}`);
}
