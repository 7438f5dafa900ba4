import type { Equivalent } from './equivalents.ts';

/** Those of the formats of the wire that `equivalents.ts` has no room for. */
export const WIRE_EQUIVALENTS: readonly Equivalent[] = [
  {
    path: 'src/wire/messages/forward-messages.ts',
    before: 'for (let at = this.#done.length - 1; at >= 0; at -= 1) {',
    after: 'for (let at = this.#done.length + 1; at >= 0; at -= 1) {',
    reason: 'beyond the last message nothing can carry a mark',
  },
];
