import type { Block, GenerationEvent, GenerationResult } from '#canonical';
import type { Exchange, OutboundFormat, StreamDecoder } from './contract.ts';
import { isFailure } from './contract.ts';

/** Which stop sequences an upstream can be told. */
export interface StopRule {
  /** Anthropic and Bedrock refuse sequences of white space alone. */
  refusesBlank: boolean;
}

/**
 * A format that watches for the stop sequences its upstream cannot be told: the answer ends at the first of them, as if
 * the upstream had ended it there. What comes after it is read to its end, because the usage comes last.
 */
export function withStopSequences(
  format: OutboundFormat,
  rule: StopRule = { refusesBlank: false },
): OutboundFormat {
  return {
    ...format,
    openExchange(request, target) {
      const exchange = format.openExchange(request, target);
      const unsaid = listUnsaid(request.stopSequences, target.dialect.maxStopSequences, rule);
      return unsaid.length === 0 ? exchange : watch(exchange, unsaid);
    },
  };
}

function listUnsaid(sequences: readonly string[], most: number, { refusesBlank }: StopRule): string[] {
  let said = 0;
  return sequences.filter((sequence) => {
    if (refusesBlank && sequence.trim() === '') return sequence !== '';
    said += 1;
    return said > most && sequence !== '';
  });
}

function watch(exchange: Exchange, sequences: readonly string[]): Exchange {
  const { decodeResult, createStreamDecoder } = exchange;
  return {
    ...exchange,
    decodeResult(body) {
      const result = decodeResult(body);
      return isFailure(result) ? result : cutResult(result, sequences);
    },
    createStreamDecoder: () => new StoppingDecoder(createStreamDecoder(), sequences),
  };
}

interface Match {
  at: number;
  end: number;
  sequence: string;
}

/** The match that is complete first, as a model would stop; of several, the longest. */
function findMatch(text: string, sequences: readonly string[]): Match | undefined {
  let first: Match | undefined;
  for (const sequence of sequences) {
    const at = text.indexOf(sequence);
    const match = { at, end: at + sequence.length, sequence };
    if (at !== -1 && (!first || match.end < first.end || (match.end === first.end && at < first.at)))
      first = match;
  }
  return first;
}

/** How many characters at the end of a text may be the beginning of a sequence. */
function countUndecided(text: string, sequences: readonly string[]): number {
  const longest = Math.max(...sequences.map((sequence) => sequence.length)) - 1;
  for (let count = Math.min(longest, text.length); count > 0; count -= 1) {
    const tail = text.slice(-count);
    if (sequences.some((sequence) => sequence.startsWith(tail))) return count;
  }
  return 0;
}

function cutResult(result: GenerationResult, sequences: readonly string[]): GenerationResult {
  const blocks: Block[] = [];
  for (const block of result.blocks) {
    const match = block.type === 'text' ? findMatch(block.text, sequences) : undefined;
    if (block.type !== 'text' || !match) {
      blocks.push(block);
      continue;
    }
    const { at, sequence } = match;
    if (at > 0) blocks.push({ ...block, text: block.text.slice(0, at) });
    return {
      ...result,
      blocks,
      finish: { ...result.finish, reason: 'stop-sequence', stopSequence: sequence },
    };
  }
  return result;
}

/** Holds back the end of a text while it may become a stop sequence. */
class StoppingDecoder implements StreamDecoder {
  readonly #decoder: StreamDecoder;
  readonly #sequences: readonly string[];
  #index = 0;
  #isText = false;
  #held = '';
  #stopped: string | undefined;
  /** The opening of a text block of which nothing was shown yet: it is not shown at all where it begins with the end. */
  #opening: GenerationEvent | undefined;

  constructor(decoder: StreamDecoder, sequences: readonly string[]) {
    this.#decoder = decoder;
    this.#sequences = sequences;
  }

  push(message: Parameters<StreamDecoder['push']>[0]): GenerationEvent[] {
    return this.#decoder.push(message).flatMap((event) => this.#pass(event));
  }

  close(): GenerationEvent[] {
    return this.#decoder.close().flatMap((event) => this.#pass(event));
  }

  #pass(event: GenerationEvent): GenerationEvent[] {
    if (this.#stopped !== undefined) return this.#passAfterStop(event, this.#stopped);
    switch (event.type) {
      case 'block-start':
        this.#index = event.index;
        this.#isText = event.block.type === 'text';
        if (!this.#isText) return [event];
        this.#opening = event;
        return [];
      case 'block-delta':
        return this.#isText ? this.#passText(event) : [event];
      case 'block-end':
      case 'generation-error':
        return [...this.#flush(), event];
      case 'block-annotation':
        return [...this.#open(), event];
      default:
        return [event];
    }
  }

  #passText({ index, text }: GenerationEvent & { type: 'block-delta' }): GenerationEvent[] {
    const all = this.#held + text;
    const match = findMatch(all, this.#sequences);
    const shown = match
      ? all.slice(0, match.at)
      : all.slice(0, all.length - countUndecided(all, this.#sequences));
    this.#held = match ? '' : all.slice(shown.length);
    const events =
      shown === '' ? [] : [...this.#open(), { type: 'block-delta', index, text: shown } as const];
    if (!match) return events;
    this.#stopped = match.sequence;
    if (!this.#opening) events.push({ type: 'block-end', index });
    return events;
  }

  #passAfterStop(event: GenerationEvent, stopSequence: string): GenerationEvent[] {
    if (event.type === 'generation-error') return [event];
    if (event.type !== 'generation-end') return [];
    return [{ ...event, finish: { ...event.finish, reason: 'stop-sequence', stopSequence } }];
  }

  #open(): GenerationEvent[] {
    const opening = this.#opening;
    this.#opening = undefined;
    return opening ? [opening] : [];
  }

  /** The block is over: what was held back is text after all. */
  #flush(): GenerationEvent[] {
    const opening = this.#open();
    const text = this.#held;
    this.#held = '';
    return text === '' ? opening : [...opening, { type: 'block-delta', index: this.#index, text }];
  }
}
