import { crc32 } from 'node:zlib';

/** The readable records of a file. */
interface Scan {
  /** Those that are not confirmed, by their place behind the header. */
  records: Map<number, string>;
  /** The bytes up to the end of the last whole record. */
  wholeBytes: number;
  /** Bytes of a torn write that was never confirmed. */
  tornBytes: number;
  /** Unreadable records with whole ones after them: not a torn write, but a damaged disk. */
  damaged: number;
}

const LENGTH_BYTES = 4;
const HEAD_BYTES = 8;
const LARGEST_RECORD_BYTES = 2 ** 26;
/** A note of the journal itself: these earlier records of the file are confirmed. */
const CONFIRMED = /^confirmed (\d+(?: \d+)*)$/;

/** A record: length, checksum of length and text, text. */
export function encodeRecord(text: string): Buffer {
  const length = Buffer.byteLength(text);
  if (length > LARGEST_RECORD_BYTES) throw new RangeError('a record of the journal is too large');
  const record = Buffer.allocUnsafe(HEAD_BYTES + length);
  record.writeUInt32LE(length, 0);
  record.write(text, HEAD_BYTES);
  record.writeUInt32LE(checksum(record), LENGTH_BYTES);
  return record;
}

export function encodeConfirmed(places: readonly number[]): Buffer {
  return encodeRecord(`confirmed ${places.join(' ')}`);
}

export function scanRecords(bytes: Buffer, start: number): Scan {
  const scan: Scan = { records: new Map(), wholeBytes: start, tornBytes: 0, damaged: 0 };
  let suspects = 0;
  let at = start;
  for (;;) {
    const record = findRecord(bytes, at);
    if (!record) break;
    const place = at - start;
    at += record.length;
    if (checksum(record) !== record.readUInt32LE(LENGTH_BYTES)) {
      suspects += 1;
      continue;
    }
    const text = record.toString('utf8', HEAD_BYTES);
    const confirmed = CONFIRMED.exec(text)?.[1];
    if (confirmed === undefined) scan.records.set(place, text);
    else for (const one of confirmed.split(' ')) scan.records.delete(Number(one));
    scan.damaged += suspects;
    scan.wholeBytes = at;
    suspects = 0;
  }
  scan.tornBytes = bytes.length - scan.wholeBytes;
  return scan;
}

/** The bytes of a possible record, if its length is plausible. */
function findRecord(bytes: Buffer, at: number): Buffer | undefined {
  if (at + HEAD_BYTES > bytes.length) return undefined;
  const length = bytes.readUInt32LE(at);
  const end = at + HEAD_BYTES + length;
  return length === 0 || length > LARGEST_RECORD_BYTES || end > bytes.length
    ? undefined
    : bytes.subarray(at, end);
}

function checksum(record: Buffer): number {
  return crc32(record.subarray(HEAD_BYTES), crc32(record.subarray(0, LENGTH_BYTES)));
}
