import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { createRow } from '../../../../../test/support/fresh-accounts.ts';
import type { TestAccount } from '../../../../../test/support/in-process.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';
import { SLOWNESS_MS } from '../../../../../test/support/within.ts';
import { type KeyStatus, type PlanTier, createPlanCatalogue } from '#accounts';

const USD = 1_000_000_000_000n;
const WEEK_MS = 7 * 24 * 3_600_000;

let account: TestAccount;
let serial = 0;

const gateway = shareGateway();
beforeEach(async () => {
  account = await gateway.createAccount({ label: 'laptop' });
  await subscribe('pro');
});

async function subscribe(plan: PlanTier): Promise<void> {
  const { organizationId } = account;
  const terms = createPlanCatalogue()[plan];
  await gateway.accounts.directory.setPlan({ organizationId, plan, terms });
}

const authorization = (): Record<string, string> => ({ authorization: `Bearer ${account.apiKey}` });

/** All figures but `limits`. */
async function read(): Promise<Record<string, string | null>> {
  const { limits: _, ...figures } = await readAll();
  return figures;
}

async function readAll(): Promise<Record<string, string | null> & Pick<KeyStatus, 'limits'>> {
  const response = await gateway.request('/v1/key', { headers: authorization() });
  assert.equal(response.status, 200);
  return ((await response.json()) as { data: Awaited<ReturnType<typeof readAll>> }).data;
}

async function readWeek(): Promise<(string | null | undefined)[]> {
  const data = await read();
  return [data['devPlanPremiumCreditsUsed'], data['devPlanPremiumWeekResetsAt']];
}

async function spend(amount: bigint, premium: boolean): Promise<number> {
  const { ledger, identify } = gateway.accounts;
  const caller = await identify(account.apiKey);
  const requestId = `req_plan_${(serial += 1)}`;
  const row = createRow(caller, requestId);
  const admittedAt = gateway.clock.now();
  await ledger.reserve({ requestId, caller, amount, premium, row });
  await ledger.settle({ requestId, customer: amount, provider: 0n, estimated: false, row });
  return admittedAt;
}

/** The mock's chat model costs 15 USD per million output tokens, which is premium; echo is free. */
const ask = (model: string, more: object = {}) =>
  gateway.post(
    '/v1/chat/completions',
    { model, max_tokens: 8, messages: [{ role: 'user', content: 'hello' }], ...more },
    authorization(),
  );

test('200: the documented sample, digit for digit', async () => {
  await spend(20n * USD, false);
  const startMs = await spend(5n * USD, true);
  const data = await read();
  const resetsAt = data['devPlanPremiumWeekResetsAt'] ?? '';
  assert.match(resetsAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const lateMs = Date.parse(resetsAt) - WEEK_MS - startMs;
  assert.ok(lateMs >= 0 && lateMs < SLOWNESS_MS, `${lateMs} ms after the request came`);
  assert.deepEqual(data, {
    label: 'laptop',
    usage: '25',
    limit: null,
    remaining: null,
    devPlan: 'pro',
    devPlanCreditsUsed: '25',
    devPlanCreditsLimit: '237',
    devPlanCreditsRemaining: '212.00',
    devPlanPremiumWeeklyLimit: '35.55',
    devPlanPremiumCreditsUsed: '5.00',
    devPlanPremiumWeekResetsAt: resetsAt,
  });
});

test('200: the plan and its premium week are limits, with what is left and when they renew', async () => {
  await spend(20n * USD, false);
  await spend(5n * USD, true);
  const { limits, devPlanPremiumWeekResetsAt } = await readAll();
  const [plan, premium, ...more] = limits;
  assert.deepEqual([plan?.kind, plan?.limit, plan?.usage, plan?.remaining], ['plan', '237', '25', '212']);
  assert.ok(Date.parse(plan?.resetsAt ?? '') > gateway.clock.now());
  assert.deepEqual(premium, {
    kind: 'plan_premium',
    limit: '35.55',
    usage: '5',
    remaining: '30.55',
    resetsAt: devPlanPremiumWeekResetsAt,
  });
  assert.deepEqual(more, []);
});

test('200: every tier with its limits, before anything was used', async () => {
  const cases: [PlanTier, string, string, string][] = [
    ['lite', '87', '87.00', '10.44'],
    ['pro', '237', '237.00', '35.55'],
    ['max', '537', '537.00', '96.66'],
  ];
  for (const [plan, limit, remaining, weekly] of cases) {
    await subscribe(plan);
    const data = await read();
    assert.equal(data['devPlan'], plan);
    assert.equal(data['devPlanCreditsUsed'], '0');
    assert.equal(data['devPlanCreditsLimit'], limit);
    assert.equal(data['devPlanCreditsRemaining'], remaining);
    assert.equal(data['devPlanPremiumWeeklyLimit'], weekly);
    assert.equal(data['devPlanPremiumCreditsUsed'], '0.00');
    assert.equal(data['devPlanPremiumWeekResetsAt'], null);
  }
});

test('200: a premium model starts the week; a free one and one without a provider do not', async () => {
  await (await ask('local/echo')).text();
  assert.deepEqual(await readWeek(), ['0.00', null]);
  assert.equal((await ask('closed-model')).status, 502);
  assert.deepEqual(await readWeek(), ['0.00', null]);
  const answer = await ask('chat-model');
  await answer.text();
  const [, resetsAt] = await readWeek();
  assert.ok(resetsAt);
  const data = await read();
  const { customer } = await gateway.getRow(answer);
  assert.equal(data['devPlanCreditsUsed'], data['usage']);
  assert.equal(BigInt(customer) > 0n, true);
  gateway.clock.advance(Date.parse(resetsAt) - gateway.clock.now() + 1);
  assert.deepEqual(await readWeek(), ['0.00', null]);
});

test('200: readable over every limit, and nothing that is left is negative', async () => {
  await spend(35n * USD, true);
  await spend(150n * USD, false);
  await subscribe('lite');
  const refused = await ask('chat-model');
  assert.equal(refused.status, 402);
  const { error } = (await refused.json()) as { error: { type: string; code: string; message: string } };
  assert.equal(error.type, 'billing_error');
  assert.match(error.code, /^(plan_credits|premium_allowance)_exhausted$/);
  assert.match(error.message, /0 USD is left.*\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\./);
  const data = await read();
  assert.deepEqual(
    [data['devPlanCreditsUsed'], data['devPlanCreditsLimit'], data['devPlanCreditsRemaining']],
    ['185', '87', '0.00'],
  );
  assert.equal(data['devPlanPremiumCreditsUsed'], '35.00');
  assert.equal((await gateway.getRow(refused)).customer, '0');
});

test('200: a key whose organization ended its plan is pay-as-you-go again', async () => {
  await spend(USD, true);
  await gateway.accounts.directory.endPlan(account.organizationId);
  assert.deepEqual(await read(), {
    label: 'laptop',
    usage: '1',
    limit: null,
    remaining: null,
    devPlan: 'none',
    devPlanCreditsUsed: '0',
    devPlanCreditsLimit: '0',
    devPlanCreditsRemaining: '0',
    devPlanPremiumWeeklyLimit: '0',
    devPlanPremiumCreditsUsed: '0',
    devPlanPremiumWeekResetsAt: null,
  });
});
