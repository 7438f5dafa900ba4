import { hashText } from './tool-ids.ts';

const HASH_LENGTH = 8;

/** The tool names an upstream accepts, and the nearest accepted name. */
export interface NameRule {
  allowed: RegExp;
  /** From left to right, so that only the beginning of a long name needs to be cleaned. */
  clean(name: string): string;
}

const WORDS: NameRule = { allowed: /^[\w-]+$/, clean: (name) => name.replace(/[^\w-]/g, '_') };

/** Whether an upstream accepts a tool name as it is. */
export function fitsName(name: unknown, maxLength: number, { allowed }: NameRule = WORDS): boolean {
  return typeof name === 'string' && name.length <= maxLength && allowed.test(name);
}

/** The tool names of one request: kept if they fit, otherwise shortened with a hash; restored in the answer. */
export class ToolNames {
  readonly #maxLength: number;
  readonly #rule: NameRule;
  readonly #encoded = new Map<string, string>();
  readonly #original = new Map<string, string>();

  constructor(maxLength: number, rule: NameRule = WORDS) {
    this.#maxLength = maxLength;
    this.#rule = rule;
  }

  encode(name: string): string {
    const known = this.#encoded.get(name);
    if (known !== undefined) return known;
    let encoded = fitsName(name, this.#maxLength, this.#rule) ? name : this.#shorten(name, name);
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
    const most = this.#maxLength - HASH_LENGTH - 1;
    const kept = this.#rule.clean(name.slice(0, most)).slice(0, most);
    return `${kept}_${hashText(seed, HASH_LENGTH)}`;
  }
}

/** Restores the caller's names of the tools in an answer. */
export type AnswerNames = Pick<ToolNames, 'restore'>;

/** For a request whose tools keep their names. */
export const SAME_NAMES: AnswerNames = { restore: (name) => name };
