import { createIdentifier } from '#base';
import { DistinctNames } from './distinct-names.ts';

/** Tool call ids of one answer: never empty, never equal. */
export class CallIds {
  readonly #ids = new DistinctNames({ separator: '_' });

  claim(id: string): string {
    return this.#ids.create(id === '' ? createIdentifier('call') : id);
  }
}
