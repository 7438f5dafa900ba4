import type { JsonObject } from '#base';
import type { Block, ToolTally, Usage } from '#canonical';
import { createUsage, estimateTokens, inputTokensOf } from '#canonical';
import { tallyBlock } from '#wire';

const RESULT = /_tool_result$/;

/**
 * How often a provider has read the prompt of an answer: again after each round of the tools that it runs itself, with what they
 * returned. It reports that at the end alone, so an answer that is cut before costs what this estimates.
 */
export class Readings {
  #last: 'own' | 'use' | 'result' = 'own';
  #results = 0;
  /** Readings after the first, and the tokens of results in them. */
  #more = 0;
  #readResults = 0;

  get more(): number {
    return this.#more;
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
    if (!isAfter) return;
    this.#more += 1;
    this.#readResults += this.#results;
  }

  /** The input of all readings, from that of the first; what has been read once is in the cache of a provider that has one. */
  multiply(first: Usage, isCached: boolean): Usage {
    if (this.#more === 0) return first;
    const { inputCacheRead, inputCacheWrite5m, inputCacheWrite1h } = first;
    const cached = isCached ? inputTokensOf(first) : inputCacheRead + inputCacheWrite5m + inputCacheWrite1h;
    const again = isCached ? createUsage() : first;
    return {
      ...first,
      inputUncached: first.inputUncached + again.inputUncached * this.#more + this.#readResults,
      inputAudio: first.inputAudio + again.inputAudio * this.#more,
      inputImage: first.inputImage + again.inputImage * this.#more,
      inputCacheRead: inputCacheRead + cached * this.#more,
    };
  }
}

function isToolResult({ type }: JsonObject): boolean {
  return typeof type === 'string' && RESULT.test(type);
}
