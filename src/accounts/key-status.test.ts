import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseUsd } from '#base';
import { createRow, openFreshAccounts } from '../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../test/support/share-opened.ts';

const fresh = shareOpened(() => openFreshAccounts());
let serial = 0;

async function use(customer: bigint): Promise<void> {
  const { ledger } = fresh.accounts;
  const requestId = `req_${(serial += 1)}`;
  const row = createRow(fresh.caller, requestId);
  await ledger.reserve({ requestId, caller: fresh.caller, amount: customer, row });
  await ledger.settle({ requestId, customer, provider: 0n, estimated: false, row });
}

const readStatus = () => fresh.accounts.findKeyStatus(fresh.caller);

test('a pay-as-you-go key has no plan and zeros for all that belongs to one', async () => {
  assert.deepEqual(await readStatus(), {
    label: 'test key',
    usage: '0',
    limit: null,
    remaining: null,
    limits: [],
    devPlan: 'none',
    devPlanCreditsUsed: '0',
    devPlanCreditsLimit: '0',
    devPlanCreditsRemaining: '0',
    devPlanPremiumWeeklyLimit: '0',
    devPlanPremiumCreditsUsed: '0',
    devPlanPremiumWeekResetsAt: null,
    isCurrent: true,
  });
});

test('use and limit are exact decimals without padding, as of this moment', async () => {
  await fresh.accounts.directory.updateKey(fresh.caller.keyId, { limit: 31_420_000_000_000n });
  await use(25_000_000_000_000n);
  const first = await readStatus();
  assert.deepEqual([first.usage, first.limit], ['25', '31.42']);
  await use(1n);
  assert.equal((await readStatus()).usage, '25.000000000001');
});

test('every limit is reported as its exact decimal', async () => {
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: 0n, max: 10n ** 26n }), async (limit) => {
      await fresh.accounts.directory.updateKey(fresh.caller.keyId, { limit });
      const text = (await readStatus()).limit ?? '';
      assert.match(text, /^(0|[1-9]\d*)(\.\d*[1-9])?$/);
      assert.equal(parseUsd(text), limit);
    }),
    { numRuns: 50 },
  );
});
