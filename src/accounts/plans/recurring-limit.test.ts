import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalOf } from '../../../test/support/catch-refusal.ts';
import type { Caller, RecurringLimit } from '#accounts';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { TestLedger } from '../../../test/support/test-ledger.ts';

const USD = 1_000_000_000_000n;
const HOUR_MS = 3_600_000;

const clock = new TestClock();
const fresh = shareOpened(() => openFreshAccounts({ windowClock: clock }));
const testLedger = new TestLedger(fresh);

const isClean = async (): Promise<void> => assert.deepEqual(await fresh.accounts.ledger.check(), []);

async function createLimited(recurringLimit: RecurringLimit): Promise<Caller> {
  const { projectId } = fresh.caller;
  const { secret, key } = await fresh.accounts.directory.createKey({ projectId, label: 'k', recurringLimit });
  assert.deepEqual(key.recurringLimit, recurringLimit);
  return fresh.accounts.identify(secret);
}

async function readRefusal(promise: Promise<unknown>): Promise<string> {
  const { code, message } = await refusalOf(promise);
  assert.equal(code, 'key_limit_reached');
  return message;
}

const PERIODS: [RecurringLimit['period'], number][] = [
  ['hour', HOUR_MS],
  ['day', 24 * HOUR_MS],
  ['week', 168 * HOUR_MS],
  ['month', 31 * 24 * HOUR_MS], // the test's clock is in January
];

for (const [period, lengthMs] of PERIODS) {
  test(`a limit per ${period} opens with the first billed request, and is whole again one millisecond after its end`, async () => {
    const of = await createLimited({ amount: 10n * USD, period });
    clock.advance(1_234);
    await testLedger.use(of, 0n);
    clock.advance(1_234);
    await testLedger.use(of, 8n * USD);
    const resetsAt = new Date(clock.now() + lengthMs).toISOString();
    for (const stepMs of [lengthMs - 1, 1]) {
      clock.advance(stepMs);
      const message = await readRefusal(testLedger.reserve(of, 3n * USD));
      const use = `recurring limit of 10 USD per ${period} and has used 8 USD: 2 USD is left`;
      assert.match(message, new RegExp(`${use}.*up to 3 USD`));
      assert.ok(message.endsWith(`It resets at ${resetsAt}.`), message);
    }
    clock.advance(1);
    await testLedger.use(of, 10n * USD);
    await readRefusal(testLedger.reserve(of, 1n));
    await isClean();
    clock.advance(Date.UTC(2026, 0, 1) - clock.now());
  });
}

test('a request that ends at cost 0 starts no period', async () => {
  const of = await createLimited({ amount: 10n * USD, period: 'hour' });
  await testLedger.settle(of, (await testLedger.reserve(of, USD)).requestId, 0n);
  clock.advance(HOUR_MS - 1);
  await testLedger.use(of, 10n * USD);
  clock.advance(2);
  await readRefusal(testLedger.reserve(of, 1n));
  await isClean();
});

test('a request that spans the end is charged to the period it was admitted in', async () => {
  const of = await createLimited({ amount: 10n * USD, period: 'hour' });
  const spanning = await testLedger.reserve(of, 10n * USD);
  clock.advance(HOUR_MS + 1);
  await testLedger.use(of, 9n * USD);
  await testLedger.settle(of, spanning.requestId, 10n * USD);
  await testLedger.use(of, USD);
  await isClean();
});

test('a limit can be changed in the running period, removed, and added to a key without one', async () => {
  const { directory } = fresh.accounts;
  const of = await testLedger.createCaller();
  await testLedger.use(of, 100n * USD);
  await directory.updateKey(of.keyId, { recurringLimit: { amount: 5n * USD, period: 'day' } });
  await testLedger.use(of, 4n * USD);
  await readRefusal(testLedger.reserve(of, 2n * USD));
  await directory.updateKey(of.keyId, { recurringLimit: { amount: 50n * USD, period: 'day' } });
  await testLedger.use(of, 2n * USD);
  await readRefusal(testLedger.reserve(of, 45n * USD));
  await directory.updateKey(of.keyId, { recurringLimit: null });
  await testLedger.use(of, 45n * USD);
  const [key] = await directory.listKeys({ organizationId: of.organizationId });
  assert.equal(key?.recurringLimit, null);
  await assert.rejects(directory.updateKey('key_ghost', { recurringLimit: null }));
  await isClean();
});

test('a limit of 0 admits only free requests', async () => {
  const of = await createLimited({ amount: 0n, period: 'day' });
  await testLedger.use(of, 0n);
  await readRefusal(testLedger.reserve(of, 1n));
});
