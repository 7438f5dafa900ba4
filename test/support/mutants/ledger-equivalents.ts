import type { Equivalent } from './equivalents.ts';

/** Those of the ledger that `equivalents.ts` has no room for. */
export const LEDGER_EQUIVALENTS: readonly Equivalent[] = [
  {
    path: 'src/accounts/ledger/leases/leases.ts',
    before: 'return premium ? `${key} premium` : key;',
    after: 'return !(premium) ? `${key} premium` : key;',
    reason: 'a key only distinguishes the two',
  },
  {
    path: 'src/accounts/ledger/maintenance-loop.ts',
    before: '#heartbeatAtMs = 0;',
    after: '#heartbeatAtMs = (0 + 1);',
    reason: 'the start sets it before it is read',
  },
  {
    path: 'src/accounts/ledger/maintenance-loop.ts',
    before: '#sweptAtMs = 0;',
    after: '#sweptAtMs = (0 + 1);',
    reason: 'the start sets it before it is read',
  },
  {
    path: 'src/accounts/ledger/maintenance-loop.ts',
    before: 'this.#sent = new Map();',
    after: ';',
    reason: 'the next heartbeat replaces it',
  },
];
