import { randomFillSync } from 'node:crypto';

/** The program's source of random bytes; tests replace it. */
export type RandomSource = (bytes: Uint8Array) => void;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const POOL_BYTES = 8192;
const pool = Buffer.alloc(POOL_BYTES);
let unused = 0;

/** Cryptographically strong bytes, read from the system in blocks. */
export const systemRandom: RandomSource = (bytes) => {
  if (bytes.length > POOL_BYTES) {
    randomFillSync(bytes);
    return;
  }
  if (unused < bytes.length) {
    randomFillSync(pool);
    unused = POOL_BYTES;
  }
  const from = POOL_BYTES - unused;
  pool.copy(bytes, 0, from, from + bytes.length);
  pool.fill(0, from, from + bytes.length);
  unused -= bytes.length;
};

/** Extra bytes per text: on average one byte in 32 is rejected. */
const SPARE_BYTES = 8;
/** Most texts are this short, and every request needs several: they share one buffer. */
const SHORT_LENGTH = 24;
const shortBytes = new Uint8Array(SHORT_LENGTH + SPARE_BYTES);
const shortText = Buffer.alloc(SHORT_LENGTH);

/** Random text over 62 characters (5.95 bits each), without modulo bias. */
export function createRandomText(length: number, random: RandomSource = systemRandom): string {
  const isShort = length <= SHORT_LENGTH;
  const bytes = isShort ? shortBytes : new Uint8Array(length + SPARE_BYTES);
  const text = isShort ? shortText : Buffer.allocUnsafe(length);
  let written = 0;
  while (written < length) {
    random(bytes);
    for (const byte of bytes) {
      if (byte < 248 && written < length) text[written++] = ALPHABET.charCodeAt(byte % 62);
    }
  }
  return text.toString('latin1', 0, length);
}

/** An identifier such as `req_4fT…`: a prefix that names the kind and 130 random bits. */
export function createIdentifier(prefix: string, random?: RandomSource): string {
  return `${prefix}_${createRandomText(22, random)}`;
}

const TIME_DIGITS = 8;
const timeText = Buffer.alloc(TIME_DIGITS);

/**
 * An identifier whose text sorts by time: 8 characters of milliseconds, then 130 random bits. Rows under it are written
 * side by side in an index, where random ones would touch (and log) a page each.
 */
export function createTimedIdentifier(prefix: string, now: number): string {
  for (let rest = now, at = TIME_DIGITS - 1; at >= 0; at -= 1) {
    timeText[at] = ALPHABET.charCodeAt(rest % 62);
    rest = Math.floor(rest / 62);
  }
  return `${prefix}_${timeText.toString('latin1')}${createRandomText(22)}`;
}
