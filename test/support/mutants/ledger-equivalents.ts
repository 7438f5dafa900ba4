import type { Equivalent } from './equivalents.ts';

/** Those of the ledger that `equivalents.ts` has no room for. */
export const LEDGER_EQUIVALENTS: readonly Equivalent[] = [
  {
    path: 'src/accounts/ledger/leases.ts',
    before: 'return premium ? `${key} premium` : key;',
    after: 'return !(premium) ? `${key} premium` : key;',
    reason: 'a key only distinguishes the two',
  },
];
