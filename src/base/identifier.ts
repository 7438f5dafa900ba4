import { randomFillSync } from 'node:crypto';

/** Where the program gets its random bytes; tests replace it. */
export type Chance = (bytes: Uint8Array) => void;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const POOL_BYTES = 8192;
const pool = Buffer.alloc(POOL_BYTES);
let unused = 0;

/** Cryptographically strong bytes, drawn from the system in blocks. */
export const systemChance: Chance = (bytes) => {
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

/** Random text over 62 characters (5.95 bits each), without modulo bias. */
export function createRandomText(length: number, chance: Chance = systemChance): string {
  const bytes = new Uint8Array(length + 8);
  const text = Buffer.allocUnsafe(length);
  let written = 0;
  while (written < length) {
    chance(bytes);
    for (const byte of bytes) {
      if (byte < 248 && written < length) text[written++] = ALPHABET.charCodeAt(byte % 62);
    }
  }
  return text.toString('latin1');
}

/** An identifier such as `req_4fT…`: a prefix that names the kind and 130 random bits. */
export function createIdentifier(prefix: string, chance?: Chance): string {
  return `${prefix}_${createRandomText(22, chance)}`;
}

const TIME_DIGITS = 8;

/**
 * An identifier whose text sorts by time: 8 characters of milliseconds, then 130 random bits. Rows under it are written
 * side by side in an index, where random ones would touch (and log) a page each.
 */
export function createTimedIdentifier(prefix: string, now: number, chance?: Chance): string {
  let time = '';
  for (let rest = now, at = 0; at < TIME_DIGITS; at += 1) {
    time = (ALPHABET[rest % 62] ?? '') + time;
    rest = Math.floor(rest / 62);
  }
  return `${prefix}_${time}${createRandomText(22, chance)}`;
}
