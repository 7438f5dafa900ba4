import { crc32 } from 'node:zlib';
import { type RandomSource, createRandomText } from '#base';

/**
 * The text of a key, all of it URL-safe:
 *
 *     slc_  AAAAAAAAAAAA  BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB  CCCCCC
 *     kind  public id     secret                                 checksum
 *           12 of 62      37 of 62 (220 random bits)             CRC-32 of all before it, base 62
 *
 * The checksum refuses typing errors and guesses without a query. It proves nothing: only the digest of the
 * whole text does. Lists show its last four characters (24 bits), which leaves 196 bits unseen.
 */
export type KeyKind = 'regular' | 'admin' | 'session';

const PREFIXES: Record<KeyKind, string> = { regular: 'slc_', admin: 'slcadm_', session: 'slcses_' };
const PUBLIC_ID_LENGTH = 12;
const SECRET_LENGTH = 37;
const CHECKSUM_LENGTH = 6;
const BODY = new RegExp(`^[0-9A-Za-z]{${PUBLIC_ID_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH}}$`);
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function createKeyText(kind: KeyKind, random?: RandomSource): string {
  return createKeyTextFor(kind, createRandomText(PUBLIC_ID_LENGTH, random), random);
}

/** A new secret with an existing public id. */
export function createKeyTextFor(kind: KeyKind, publicId: string, random?: RandomSource): string {
  const body = PREFIXES[kind] + publicId + createRandomText(SECRET_LENGTH, random);
  return body + checksumOf(body);
}

/** The kind of credential that a text's prefix names. */
export function findKeyKind(text: string): KeyKind | undefined {
  if (text.startsWith(PREFIXES.regular)) return 'regular';
  if (text.startsWith(PREFIXES.admin)) return 'admin';
  return text.startsWith(PREFIXES.session) ? 'session' : undefined;
}

/** Whether a text has the layout of its kind and a correct checksum. */
export function isWellFormedKey(kind: KeyKind, text: string): boolean {
  const prefix = PREFIXES[kind];
  if (!text.startsWith(prefix) || !BODY.test(text.slice(prefix.length))) return false;
  return checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** The part of a key that identifies it and may be shown. */
export function publicIdOf(kind: KeyKind, text: string): string {
  const start = PREFIXES[kind].length;
  return text.slice(start, start + PUBLIC_ID_LENGTH);
}

export function maskKey(kind: KeyKind, text: string): string {
  return `${PREFIXES[kind]}…${text.slice(-4)}`;
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = (ALPHABET[rest % 62] ?? '') + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
