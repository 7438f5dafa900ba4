import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import type { Caller } from '#accounts';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { Admission } from './admission.ts';
import { namesOf, toSubject } from '../../meters/subject.ts';
import type { HoldRequest } from '../ledger.ts';
import type { LedgerStore } from '../store/ledger-store.ts';
import type { ReserveOutcome } from '../store/store-codec.ts';

const CALLER = { keyId: 'key', organizationId: 'org', projectId: 'project' } as Caller;
const toRequest = (requestId: string): HoldRequest =>
  ({ requestId, caller: CALLER, amount: 1n, row: {} }) as unknown as HoldRequest;
const blockedBy = (kind: 'key' | 'credits'): ReserveOutcome => ({
  status: 'blocked',
  kind,
  limit: 1n,
  used: 0n,
  held: 1n,
});

const createAdmission = (admissionWaitMs: number, reserve: LedgerStore['reserve']): Admission =>
  new Admission({
    store: { reserve, findPeriod: async () => undefined, findSilent: async () => undefined },
    clock: new TestClock(),
    admissionWaitMs,
    storeLimitMs: 1_000,
    onHeld: () => undefined,
    onUncertain: () => undefined,
    onBlocked: () => undefined,
  });

test('a request that waits for its key and then for its organization is tried no more once it is admitted', async () => {
  const outcomes = [blockedBy('key'), blockedBy('credits'), { status: 'ok', amount: 1n } as const];
  const tried: string[] = [];
  const admission = createAdmission(600_000, async ({ request }) => {
    tried.push(request.requestId);
    return outcomes.shift() ?? blockedBy('key');
  });
  const wake = async (): Promise<void> => {
    admission.wake(namesOf(toSubject(CALLER)));
    await turn();
  };
  const hold = admission.reserve(toRequest('moved'));
  await turn();
  await wake();
  await wake();
  assert.deepEqual(await hold, { requestId: 'moved', amount: 1n });

  const later = admission.reserve(toRequest('later'));
  await turn();
  await wake();
  assert.deepEqual(tried, ['moved', 'moved', 'moved', 'later', 'later']);
  admission.stopWaiting();
  await assert.rejects(later, /shutting down/);
});

test('money that is released while waiters are tried has them tried once more at once', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const gates: (() => void)[] = [];
  const admission = createAdmission(600_000, async () => {
    await new Promise<void>((resolve) => gates.push(resolve));
    return blockedBy('key');
  });
  const pass = async (): Promise<void> => {
    gates.at(-1)?.();
    await turn();
  };
  const waiting = admission.reserve(toRequest('waits'));
  await pass();
  const names = namesOf(toSubject(CALLER));
  admission.wake(names);
  admission.wake(names);
  await pass();
  assert.equal(gates.length, 3);
  await pass();
  assert.equal(gates.length, 3, 'and then not until the next release');
  admission.stopWaiting();
  await assert.rejects(waiting, /shutting down/);
});

test('without a time to wait a request is refused at once', async () => {
  const finals: boolean[] = [];
  const admission = createAdmission(0, async ({ final }) => {
    finals.push(final);
    return blockedBy('key');
  });
  await assert.rejects(admission.reserve(toRequest('refused')), { code: 'key_limit_reached' });
  assert.deepEqual(finals, [true]);
});

/** Blocks every request, and lists which attempts were the last. */
function openBlocked(waitMs: number): { admission: Admission; finals: boolean[] } {
  const finals: boolean[] = [];
  const admission = createAdmission(waitMs, async ({ final }) => {
    finals.push(final);
    return blockedBy('key');
  });
  return { admission, finals };
}

test('a client that disconnects ends its wait at once, without another attempt', async () => {
  const { admission, finals } = openBlocked(600_000);
  const client = new AbortController();
  const waiting = admission.reserve(toRequest('left'), client.signal);
  await turn();
  client.abort();
  await assert.rejects(waiting, { code: 'client_closed' });
  assert.deepEqual(finals, [false]);
  assert.equal(admission.isAwaited, false);
});

test('a wait ends with a last attempt, also if no money is released', async () => {
  const { admission, finals } = openBlocked(20);
  await assert.rejects(admission.reserve(toRequest('late')), { code: 'key_limit_reached' });
  assert.deepEqual(finals, [false, true]);
});
