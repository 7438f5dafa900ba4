const NAME = /^[\w-]+\.journal$/;
const HEADER = /^sluice journal 1 ([\w-]+)\n/;
const LONGEST_HEADER_BYTES = 128;

export function isSegment(name: string): boolean {
  return NAME.test(name);
}

/** The first line of a segment: its layout, and whose records it holds. */
export function encodeHeader(installation: string): Buffer {
  return Buffer.from(`sluice journal 1 ${installation}\n`);
}

/** Whose records these are and where they begin; nothing where a file was made and never finished. */
export function findHeader(bytes: Buffer): { installation: string; bytes: number } | undefined {
  const match = HEADER.exec(bytes.toString('latin1', 0, LONGEST_HEADER_BYTES));
  return match ? { installation: match[1] ?? '', bytes: match[0].length } : undefined;
}

/** Whether a file without a header is the beginning of one: nothing was ever acknowledged in it. */
export function isUnfinished(bytes: Buffer): boolean {
  const begun = bytes.toString('latin1', 0, LONGEST_HEADER_BYTES);
  return (
    !begun.includes('\n') && ('sluice journal 1 '.startsWith(begun) || begun.startsWith('sluice journal 1 '))
  );
}
