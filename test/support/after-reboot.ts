import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJsonObject } from '#base';
import { encodeRecord } from '../../src/storage/journal/record-codec.ts';

const HEAD_BYTES = 8;

/** The file of a journal that names its process, as it is read after the machine was started again. */
export function rewriteOwner(bytes: Buffer): { text: string; bytes: Buffer } {
  const header = bytes.indexOf('\n') + 1;
  const parsed = parseJsonObject(bytes.toString('utf8', header + HEAD_BYTES));
  if (!parsed) throw new Error('the record of the process cannot be read');
  const text = JSON.stringify({ ...parsed, boot: 'an earlier start' });
  return { text, bytes: Buffer.concat([bytes.subarray(0, header), encodeRecord(text)]) };
}

/** Makes a journal one that a power failure has ended. */
export function rebootFolder(folder: string): void {
  const files = readdirSync(folder).map((name) => join(folder, name));
  for (const file of files) {
    const bytes = readFileSync(file);
    if (bytes.includes('{"owner"')) writeFileSync(file, rewriteOwner(bytes).bytes);
  }
}
