import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatUsd } from '#base';
import { createRow } from '../../../../test/support/fresh-accounts.ts';
import { openLeaseProcesses } from '../../../../test/support/lease-processes.ts';
import { until } from '../../../../test/support/until.ts';
import { createPlanCatalogue } from '../../plans/plan-terms.ts';

const COST = 1_000_000n;

test('the figures of a plan include what another process has settled on a lease of another key', async () => {
  await using opened = await openLeaseProcesses();
  const { accounts, caller, database } = opened.fresh;
  const { organizationId, projectId } = caller;
  await accounts.directory.setPlan({ organizationId, plan: 'pro', terms: createPlanCatalogue().pro });
  const { ledger, identify } = (await opened.start()).accounts;
  const busy = await identify((await accounts.directory.createKey({ projectId, label: 'another' })).secret);

  let requests = 0;
  const useOnce = async (): Promise<void> => {
    const requestId = `req_${(requests += 1)}`;
    const row = createRow(busy, requestId);
    await ledger.reserve({ requestId, caller: busy, amount: COST, row });
    await ledger.settle({ requestId, customer: COST, provider: 1n, estimated: false, row });
  };
  const isLeased = async (): Promise<boolean> =>
    (await database.query({ text: 'SELECT FROM hold WHERE lease' })).rows.length > 0;
  await until('the other key is served from a lease', async () => {
    await Promise.all(Array.from({ length: 8 }, useOnce));
    return isLeased();
  });
  for (let times = 0; times < 10; times += 1) {
    await Promise.all(Array.from({ length: 8 }, useOnce));
    const { devPlanCreditsUsed, isCurrent } = await accounts.findKeyStatus(caller);
    assert.deepEqual([isCurrent, devPlanCreditsUsed], [true, formatUsd(BigInt(requests) * COST)]);
  }
});
