import { type Reading, refuseUncounted } from './reading.ts';

const RATE_BY_CODE = [
  0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
] as const;
const MOST_POSITION_BYTES = 7;
/** Frame marks, including false ones: 4 hours of frames of 4,096 samples at 48 kHz. */
const MOST_MARKS = 200_000;
/** CRC-8 with the polynomial 0x07, by byte. */
const CHECKSUMS = Uint8Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit += 1) sum = sum & 0x80 ? (sum << 1) ^ 0x07 : sum << 1;
  return sum;
});

/** Counts the frames: the length that the file states needs not be true. */
export function readFlac(bytes: Buffer, usualRate = readUsualRate(bytes, 0)): Reading & { counted: number } {
  let counted = 0;
  let marksLeft = MOST_MARKS;
  // Every second byte, as a mark has two. Buffer.indexOf would be slower: a call costs as much as a look at many bytes.
  for (let place = 1; place < bytes.length; place += 2) {
    const at = findMark(bytes, place);
    if (at === -1) continue;
    if (marksLeft === 0) return refuseUncounted('frames');
    marksLeft -= 1;
    counted += measureFlacFrame(bytes, at, usualRate);
  }
  return { counted };
}

/** The index of the mark that covers a byte, or -1. */
function findMark(bytes: Buffer, place: number): number {
  const byte = bytes[place] ?? 0;
  if (byte < 0xf8) return -1;
  if (byte === 0xff) return ((bytes[place + 1] ?? 0) & 0xfe) === 0xf8 ? place : -1;
  return (byte & 0xfe) === 0xf8 && bytes[place - 1] === 0xff ? place - 1 : -1;
}

/** The rate of frames that name none, in a file that begins at a place. */
export function readUsualRate(bytes: Buffer, at: number): number {
  return bytes.readUIntBE(at + 18, 3) >> 4;
}

/** Its seconds; 0 if there is no frame at this place, according to the checksum of its header. */
export function measureFlacFrame(bytes: Buffer, at: number, usualRate: number): number {
  // Whatever rules out most false marks comes first, without lists of values: a file may have millions.
  const codes = bytes[at + 2] ?? 0;
  const sizeCode = codes >> 4;
  const rateCode = codes & 0x0f;
  if (sizeCode === 0 || rateCode === 15 || ((bytes[at + 3] ?? 0) & 1) === 1) return 0;
  let end = at + 4 + countPositionBytes(bytes, at + 4);
  if (end === at + 4) return 0;
  const samples = readSamples(bytes, end, sizeCode);
  end += sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0;
  const rate = readRate(bytes, end, rateCode) ?? usualRate;
  end += rateCode === 12 ? 1 : rateCode > 12 ? 2 : 0;
  return rate > 0 && computeChecksum(bytes, at, end) === bytes[end] ? samples / rate : 0;
}

/** Written like a code point of UTF-8; 0 if it is not one. */
function countPositionBytes(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const count = Math.clz32(~first << 24);
  if (count < 2 || count > MOST_POSITION_BYTES) return 0;
  for (let next = at + 1; next < at + count; next += 1) if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 0;
  return count;
}

function readSamples(bytes: Buffer, at: number, code: number): number {
  if (code === 1) return 192;
  if (code < 6) return 576 << (code - 2);
  if (code === 6) return (bytes[at] ?? 0) + 1;
  return code === 7 ? readTwo(bytes, at) + 1 : 1 << code;
}

function readRate(bytes: Buffer, at: number, code: number): number | undefined {
  if (code < 12) return RATE_BY_CODE[code] || undefined;
  if (code === 12) return (bytes[at] ?? 0) * 1_000;
  return readTwo(bytes, at) * (code === 13 ? 1 : 10);
}

function readTwo(bytes: Buffer, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

function computeChecksum(bytes: Buffer, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at += 1) sum = CHECKSUMS[sum ^ (bytes[at] ?? 0)] ?? 0;
  return sum;
}
