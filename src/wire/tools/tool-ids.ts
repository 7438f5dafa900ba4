import { hash } from 'node:crypto';
import type { Dialect } from '#canonical';

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFERRED_LENGTH = 29;

/** Encodes at most 32 bytes of a hash deterministically in 62 characters. */
export function hashText(text: string, length: number): string {
  const digest = hash('sha256', text, 'buffer');
  let letters = '';
  for (let at = 0; at < length; at += 1) letters += LETTERS[(digest[at % 32] ?? 0) % 62] ?? '0';
  return letters;
}

/** Tool call ids as a dialect accepts them: kept if they fit, else hashed; equal ids stay equal and others distinct. */
export class ToolIds {
  readonly #rule: Dialect['toolCallId'];
  readonly #known = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(rule: Dialect['toolCallId']) {
    this.#rule = rule;
  }

  fits(id: string): boolean {
    return fitsRule(id, this.#rule);
  }

  encode(id: string): string {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    let encoded = this.fits(id) ? id : this.#hash(id);
    for (let salt = 1; this.#taken.has(encoded); salt += 1) encoded = this.#hash(`${salt} ${id}`);
    this.#known.set(id, encoded);
    this.#taken.add(encoded);
    return encoded;
  }

  #hash(text: string): string {
    const { maxLength, alphabet, exactLength } = this.#rule;
    const length = exactLength ?? Math.min(maxLength, PREFERRED_LENGTH);
    const prefix = alphabet === 'word' && exactLength === undefined && length > 20 ? 'call_' : '';
    return prefix + hashText(text, length - prefix.length);
  }
}

/** Whether a dialect accepts a tool call id as it is. */
export function fitsRule(id: unknown, rule: Dialect['toolCallId']): boolean {
  if (typeof id !== 'string') return false;
  if (rule.exactLength !== undefined && id.length !== rule.exactLength) return false;
  if (id.length > rule.maxLength) return false;
  return (rule.alphabet === 'word' ? /^[\w-]+$/ : /^[A-Za-z0-9]+$/).test(id);
}
