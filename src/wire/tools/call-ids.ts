import type { Block } from '#canonical';
import { createIdentifier } from '#base';
import { DistinctNames } from './distinct-names.ts';

interface CallIdsOptions {
  /** Creates the id of a call without one, from the number of ids before it; random by default. */
  create?: (count: number) => string;
  /** Converts an id to what the format accepts. */
  fit?: (id: string) => string;
}

/** Tool call ids of one answer: never empty, never equal. */
export class CallIds {
  readonly #options: CallIdsOptions;
  readonly #ids = new DistinctNames({ separator: '_' });

  constructor(options: CallIdsOptions = {}) {
    this.#options = options;
  }

  claim(id: string): string {
    const { create = createCallId, fit = keep } = this.#options;
    return this.#ids.create(fit(id === '' ? create(this.#ids.size) : id));
  }

  claimOf<B extends Block>(block: B): B {
    if (block.type !== 'tool-call') return block;
    const id = this.claim(block.id);
    return id === block.id ? block : { ...block, id };
  }
}

function createCallId(): string {
  return createIdentifier('call');
}

function keep(id: string): string {
  return id;
}
