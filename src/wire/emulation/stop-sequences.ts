import type { Block, GenerationEvent, GenerationResult } from '#canonical';
import type { Exchange, OutboundFormat } from '../contract.ts';
import { refuseFeature } from '../errors/refuse-feature.ts';
import { ANY_TEXT, type StopRule, acceptedStops } from '../request/clamp-options.ts';
import { type EventConverter, withConvertedAnswers } from './converted-answers.ts';
import { INITIAL_STATE, SequenceFinder } from './sequence-finder.ts';

/** Most characters of all watched sequences together: the search takes memory. */
const MOST_CHARACTERS = 65_536;

/**
 * Wraps a format to watch for the stop sequences its upstream does not accept: the answer ends at the first of them, as
 * if the upstream had ended it. The rest is read to the end, because the usage comes last.
 */
export function withStopSequences(format: OutboundFormat, rule: StopRule = ANY_TEXT): OutboundFormat {
  return {
    ...format,
    openExchange(request, target) {
      const exchange = format.openExchange(request, target);
      if (request.stopSequences.length === 0) return exchange;
      const sent = new Set(acceptedStops(request, target.dialect, rule));
      const unsupported = request.stopSequences.filter((sequence) => sequence !== '' && !sent.has(sequence));
      return unsupported.length === 0 ? exchange : watch(exchange, unsupported);
    },
  };
}

function watch(exchange: Exchange, sequences: readonly string[]): Exchange {
  const finder = createFinder(sequences);
  return withConvertedAnswers(exchange, {
    convertResult: (result) => cutResult(result, finder),
    createConverter: () => new StoppingConverter(finder),
  });
}

function createFinder(sequences: readonly string[]): SequenceFinder {
  const characters = sequences.reduce((sum, { length }) => sum + length, 0);
  if (characters <= MOST_CHARACTERS) return new SequenceFinder(sequences);
  return refuseFeature(
    `so many stop sequences, and the gateway watches for at most ${MOST_CHARACTERS} characters of them`,
    'stop',
  );
}

function cutResult(result: GenerationResult, finder: SequenceFinder): GenerationResult {
  const blocks: Block[] = [];
  for (const block of result.blocks) {
    const found = block.type === 'text' ? finder.read(INITIAL_STATE, block.text).found : undefined;
    if (block.type !== 'text' || !found) {
      blocks.push(block);
      continue;
    }
    const { sequence } = found;
    const at = found.end - sequence.length;
    if (at > 0) blocks.push({ ...block, text: block.text.slice(0, at) });
    return {
      ...result,
      blocks,
      finish: { ...result.finish, reason: 'stop-sequence', stopSequence: sequence },
    };
  }
  return result;
}

/** Holds the end of a text while it may become a stop sequence. */
class StoppingConverter implements EventConverter {
  readonly #finder: SequenceFinder;
  #place = INITIAL_STATE;
  #index = 0;
  #isText = false;
  #held = '';
  #stopped: string | undefined;
  /** The start of a text block not yet shown; dropped if its text begins with the stop sequence. */
  #opening: GenerationEvent | undefined;

  constructor(finder: SequenceFinder) {
    this.#finder = finder;
  }

  convert(event: GenerationEvent): GenerationEvent[] {
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
    const { place, found } = this.#finder.read(this.#place, text);
    const end = found
      ? this.#held.length + found.end - found.sequence.length
      : all.length - this.#finder.countOpen(place);
    const shown = all.slice(0, end);
    this.#place = place;
    this.#held = found ? '' : all.slice(end);
    const events =
      shown === '' ? [] : [...this.#open(), { type: 'block-delta', index, text: shown } as const];
    if (!found) return events;
    this.#stopped = found.sequence;
    if (!this.#opening) events.push({ type: 'block-end', index });
    return events;
  }

  #passAfterStop(event: GenerationEvent, stopSequence: string): GenerationEvent[] {
    if (event.type === 'generation-error' || event.type === 'tools-used') return [event];
    if (event.type !== 'generation-end') return [];
    return [{ ...event, finish: { ...event.finish, reason: 'stop-sequence', stopSequence } }];
  }

  #open(): GenerationEvent[] {
    const opening = this.#opening;
    this.#opening = undefined;
    return opening ? [opening] : [];
  }

  /** The block is over, so the held text is content. */
  #flush(): GenerationEvent[] {
    const opening = this.#open();
    const text = this.#held;
    this.#held = '';
    this.#place = INITIAL_STATE;
    return text === '' ? opening : [...opening, { type: 'block-delta', index: this.#index, text }];
  }
}
