import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Caller } from '../caller.ts';
import { Leases } from './leases/leases.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const COUNT = 200_000;
const EVERY_MS = 10;
const MOST_BYTES = 4 * 1024 * 1024;

const WAYS: Record<string, (leases: Leases, number: number) => unknown> = {
  'session tokens with a request each': (leases, number) => {
    const caller: Caller = { keyId: 'k', keyLabel: 'k', organizationId: 'o', projectId: 'p' };
    const row = { requestId: 'r', organizationId: 'o', projectId: 'p', keyId: 'k', finishReason: '' };
    caller.sessionTokenId = `token_${number}`;
    return leases.take({ requestId: 'r', caller, amount: 1n, row }, number * EVERY_MS);
  },
  'keys whose limits change': (leases, number) => leases.suspend(`key ${number}`, number * EVERY_MS),
};

for (const [way, use] of Object.entries(WAYS))
  test(`${way} stay in memory for seconds only, though no lease is ever taken`, () => {
    const leases = new Leases(() => 'lease_1');
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let number = 0; number < COUNT; number += 1) use(leases, number);
    collectGarbage();
    const grown = process.memoryUsage().heapUsed - before;
    assert.ok(grown < MOST_BYTES, `${grown} bytes more`);
    assert.equal(leases.size, 0);
  });
