import { toCount } from './usage.ts';

/** An answer's use of a tool that runs at the provider. */
export interface ToolUse {
  /** The tool's name in answers, such as `web_search`. */
  tool: string;
  /** What else decides its price, such as `high:1024x1024`. */
  kind?: string;
  count: number;
}

/** Adds up the tool uses of an answer, in the order they were first seen. */
export class ToolTally {
  readonly #uses = new Map<string, ToolUse>();
  readonly #seen = new Set<string>();

  /** A use with an id, such as a container's, is counted once per id. */
  add(tool: string, { kind, count = 1, id }: { kind?: string; count?: number; id?: string } = {}): void {
    if (id !== undefined) {
      if (this.#seen.has(`${tool} ${id}`)) return;
      this.#seen.add(`${tool} ${id}`);
    }
    const counted = toCount(count);
    if (counted === 0) return;
    const key = kind === undefined ? tool : `${tool} ${kind}`;
    const known = this.#uses.get(key);
    if (known) known.count += counted;
    else this.#uses.set(key, { tool, ...(kind !== undefined && { kind }), count: counted });
  }

  /** Replaces the counted uses of a tool by those the provider reports. */
  replace(tool: string, uses: readonly Omit<ToolUse, 'tool'>[]): void {
    for (const [key, use] of this.#uses) if (use.tool === tool) this.#uses.delete(key);
    for (const use of uses) this.add(tool, use);
  }

  get total(): number {
    let sum = 0;
    for (const { count } of this.#uses.values()) sum += count;
    return sum;
  }

  /** `undefined` if nothing was used. */
  get uses(): ToolUse[] | undefined {
    return this.#uses.size === 0 ? undefined : [...this.#uses.values()];
  }
}
