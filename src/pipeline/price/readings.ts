import type { JsonObject } from '#base';
import type { Block, ToolTally, Usage } from '#canonical';
import { INPUT_PARTS, createUsage, estimateTokens, inputTokensOf } from '#canonical';
import { tallyBlock } from '#wire';

const RESULT = /_tool_result$/;
const NO_INPUT = inputOf(createUsage());
const NO_WRITES = { inputCacheWrite5m: 0, inputCacheWrite1h: 0 };

/**
 * How often a provider has read the prompt of an answer: again, with the results, after each round of tools that it runs
 * itself. Providers report this only at the end, so an answer that is cut before costs what this estimates.
 */
export class Readings {
  #last: 'own' | 'use' | 'result' = 'own';
  #results = 0;
  /** The tokens of results in each reading after the first. */
  readonly #more: number[] = [];

  get more(): number {
    return this.#more.length;
  }

  /** Counts the tools that a block uses, and notes it. */
  tally(tally: ToolTally, block: Block): void {
    const before = tally.total;
    tallyBlock(tally, block);
    this.see(block, tally.total > before);
  }

  /** Notes a block; `isUse` if a tool of the provider is used by it. */
  see(block: Block, isUse: boolean): void {
    const isResult = block.type === 'native' && isToolResult(block.value);
    const isAfter = isUse ? this.#last === 'result' : !isResult && this.#last !== 'own';
    if (isResult) this.#results += estimateTokens(Buffer.byteLength(JSON.stringify(block.value)));
    this.#last = isUse ? 'use' : isResult ? 'result' : 'own';
    if (isAfter) this.#more.push(this.#results);
  }

  /**
   * The usage of each reading, derived from the first; the last one has the output. A prompt that was read once is
   * cached, at a provider with a cache.
   */
  list(first: Usage, isCached: boolean): Usage[] {
    const { inputUncached, inputCacheRead, inputCacheWrite5m, inputCacheWrite1h } = first;
    const cached = isCached ? inputTokensOf(first) : inputCacheRead + inputCacheWrite5m + inputCacheWrite1h;
    const again = { ...(isCached ? NO_INPUT : inputOf(first)), ...NO_WRITES, inputCacheRead: cached };
    const fresh = isCached ? 0 : inputUncached;
    const inputs = [
      inputOf(first),
      ...this.#more.map((results) => ({ ...again, inputUncached: fresh + results })),
    ];
    return inputs.map((input, at) => (at === this.more ? { ...first, ...input } : createUsage(input)));
  }
}

function inputOf(usage: Usage): Partial<Usage> {
  return Object.fromEntries(INPUT_PARTS.map((part) => [part, usage[part]]));
}

function isToolResult({ type }: JsonObject): boolean {
  return typeof type === 'string' && RESULT.test(type);
}
