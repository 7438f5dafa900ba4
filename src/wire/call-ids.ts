import { createIdentifier } from '#base';
import { DistinctNames } from './distinct-names.ts';

/** The ids of the tool calls in one answer: none is empty and no two are equal. */
export class CallIds {
  readonly #ids = new DistinctNames({ separator: '_' });

  claim(id: string): string {
    return this.#ids.create(id === '' ? createIdentifier('call') : id);
  }
}
