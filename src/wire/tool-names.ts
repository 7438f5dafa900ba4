import { hashText } from './tool-ids.ts';

const ALLOWED = /^[\w-]+$/;
const HASH_LENGTH = 8;

/** Whether an upstream takes a tool name as it is. */
export function fitsName(name: string, maxLength: number): boolean {
  return name.length <= maxLength && ALLOWED.test(name);
}

/** The names of one request's tools: kept where they fit, else cut and told apart by a hash; restored in the answer. */
export class ToolNames {
  readonly #maxLength: number;
  readonly #encoded = new Map<string, string>();
  readonly #original = new Map<string, string>();

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  encode(name: string): string {
    const known = this.#encoded.get(name);
    if (known !== undefined) return known;
    let encoded = fitsName(name, this.#maxLength) ? name : this.#shorten(name, name);
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
    const kept = name.replace(/[^\w-]/g, '_').slice(0, this.#maxLength - HASH_LENGTH - 1);
    return `${kept}_${hashText(seed, HASH_LENGTH)}`;
  }
}
