import { hashText } from '../tool-ids.ts';

const ALLOWED = /^[A-Za-z_][\w.:-]*$/;
const HASH_LENGTH = 8;

/** The names of one request's tools as Gemini takes them: a letter or `_` first, then letters, digits and `_.:-`; restored in the answer. */
export class GeminiToolNames {
  readonly #maxLength: number;
  readonly #encoded = new Map<string, string>();
  readonly #original = new Map<string, string>();

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  encode(name: string): string {
    const known = this.#encoded.get(name);
    if (known !== undefined) return known;
    const fits = name.length <= this.#maxLength && ALLOWED.test(name);
    let encoded = fits ? name : this.#shorten(name, name);
    for (let salt = 1; this.#original.has(encoded); salt += 1)
      encoded = this.#shorten(name, `${salt} ${name}`);
    this.#encoded.set(name, encoded);
    this.#original.set(encoded, name);
    return encoded;
  }

  restore(name: string): string {
    return this.#original.get(name) ?? name;
  }

  #shorten(name: string, seed: string): string {
    const clean = name.replace(/[^\w.:-]/g, '_').replace(/^(?![A-Za-z_])/, '_');
    return `${clean.slice(0, this.#maxLength - HASH_LENGTH - 1)}_${hashText(seed, HASH_LENGTH)}`;
  }
}
