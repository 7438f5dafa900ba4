const NAME = /^[\w-]+\.journal$/;
const HEADER = /^sluice journal 1 ([\w-]+)\n/;
const LONGEST_HEADER_BYTES = 128;

export function isSegment(name: string): boolean {
  return NAME.test(name);
}

/** That of a segment with damage, which is kept for inspection. */
export const nameDamaged = (name: string): string => `${name}.damaged`;

/** The first line of a segment: its layout, and the installation its records belong to. */
export function encodeHeader(installation: string): Buffer {
  return Buffer.from(`sluice journal 1 ${installation}\n`);
}

/** The header's installation and length; `undefined` if the file was created but never completed. */
export function findHeader(bytes: Buffer): { installation: string; bytes: number } | undefined {
  const match = HEADER.exec(bytes.toString('latin1', 0, LONGEST_HEADER_BYTES));
  return match ? { installation: match[1] ?? '', bytes: match[0].length } : undefined;
}

/** Whether a file is an unfinished header: nothing in it was ever acknowledged. */
export function isUnfinished(bytes: Buffer): boolean {
  const begun = bytes.toString('latin1', 0, LONGEST_HEADER_BYTES);
  return (
    !begun.includes('\n') && ('sluice journal 1 '.startsWith(begun) || begun.startsWith('sluice journal 1 '))
  );
}
