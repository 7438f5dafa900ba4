import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#accounts';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { TestLedger } from '../../../test/support/test-ledger.ts';
import type { Budget } from './budget-store.ts';

const USD = 1_000_000_000_000n;
const HOUR_MS = 3_600_000;

const fresh = shareOpened(() => openFreshAccounts());
const testLedger = new TestLedger(fresh);

const list = (filter: Parameters<typeof fresh.accounts.directory.listBudgets>[0] = {}): Promise<Budget[]> =>
  fresh.accounts.directory.listBudgets({ organizationId: fresh.caller.organizationId, ...filter });
const find = async (kind: Budget['kind'], subjectId: string): Promise<Budget> =>
  (await list()).find((one) => one.kind === kind && one.subjectId === subjectId) ?? assert.fail(kind);

async function createKey(more: { limit?: bigint; perDay?: bigint; memberId?: string }): Promise<Caller> {
  const { limit, perDay, memberId } = more;
  const { secret } = await fresh.accounts.directory.createKey({
    projectId: fresh.caller.projectId,
    label: 'k',
    ...(limit !== undefined && { limit }),
    ...(perDay !== undefined && { recurringLimit: { amount: perDay, period: 'day' as const } }),
    ...(memberId !== undefined && { memberId }),
  });
  return fresh.accounts.identify(secret);
}

const hoursTo = ({ runsOutAt }: Budget): number =>
  Math.round(((runsOutAt ?? assert.fail('no end')) - Date.now()) / HOUR_MS);

test('an all-time limit runs out at the pace of the last 24 hours, whether they are counted or not', async () => {
  const of = await createKey({ limit: 10n * USD });
  assert.equal((await find('key', of.keyId)).runsOutAt, undefined, 'nothing is spent');
  await testLedger.use(of, 4n * USD);
  const budget = await find('key', of.keyId);
  assert.deepEqual([budget.usage, budget.left, budget.pace], [4n * USD, 6n * USD, 4n * USD]);
  assert.equal(hoursTo(budget), 36, 'six of four a day');
  const change = (text: string) => fresh.database.query({ text });
  const paceNow = async (): Promise<bigint> => (await find('key', of.keyId)).pace;
  await change(`UPDATE log_state SET (closed_through, counted_through) =
    (SELECT hour, hour FROM date_trunc('hour', now() + interval '2 hours') AS hour)`);
  assert.equal(await paceNow(), 0n, 'counted, without sums');
  await change(`SELECT usage_detail_count(now() - interval '2 hours', now() + interval '2 hours')`);
  assert.equal(await paceNow(), 4n * USD, 'counted');
  await change('TRUNCATE usage_detail, usage_hour_client');
  await change('UPDATE log_state SET detailed_from = counted_through');
  assert.equal(await paceNow(), 4n * USD, 'counted without members');
  await change(
    `UPDATE log_state SET (closed_through, counted_through, detailed_from) = ('-infinity', '-infinity', '-infinity')`,
  );
});

test('a limit that renews runs out at the pace of its period, or not before it renews', async () => {
  const of = await createKey({ perDay: 10n * USD });
  const untouched = await find('key_recurring', of.keyId);
  assert.deepEqual([untouched.left, untouched.periodEnd], [10n * USD, undefined]);
  await testLedger.use(of, USD / 2n);
  assert.equal((await find('key_recurring', of.keyId)).runsOutAt, undefined, 'five a day, of ten');
  await testLedger.use(of, (3n * USD) / 2n);
  const budget = await find('key_recurring', of.keyId);
  assert.equal(hoursTo(budget), 10, 'eight of twenty a day');
  assert.equal((budget.periodEnd ?? 0) - (budget.periodStart ?? 0), 24 * HOUR_MS);
});

test('members, credits and plans are listed with what is held; credits without what was used before', async () => {
  const { directory } = fresh.accounts;
  const { organizationId } = fresh.caller;
  const member = await directory.addMember({
    organizationId,
    name: 'Ada',
    role: 'member',
    limit: 9n * USD,
    recurringLimit: { amount: 5n * USD, period: 'week' },
  });
  const of = await createKey({ memberId: member.id });
  await testLedger.use(of, USD);
  await directory.addCredits({ organizationId, amount: 20n * USD });
  const hold = await testLedger.reserve(of, 2n * USD);
  const budgets = await list();
  const read = (kind: Budget['kind']): unknown[] => {
    const one = budgets.find((each) => each.kind === kind) ?? assert.fail(kind);
    return [one.name, one.limit, one.usage, one.left, one.held];
  };
  assert.deepEqual(read('member'), ['Ada', 9n * USD, USD, 8n * USD, 2n * USD]);
  assert.deepEqual(read('member_recurring'), ['Ada', 5n * USD, USD, 4n * USD, 2n * USD]);
  assert.deepEqual(read('credits'), ['Acme', 20n * USD, 0n, 20n * USD, 2n * USD]);
  assert.deepEqual(await directory.sumHolds({ organizationId }), {
    amount: 2n * USD,
    requests: 1,
    leased: 0n,
  });
  assert.deepEqual(await directory.sumHolds({ organizationId: 'org_other' }), {
    amount: 0n,
    requests: 0,
    leased: 0n,
  });
  await testLedger.settle(of, hold.requestId, USD);
});

test('a project has what all its keys used, and runs out at their pace of the last day', async () => {
  const { directory, identify } = fresh.accounts;
  const of = await testLedger.createCaller();
  const { projectId, organizationId } = of;
  const { secret } = await directory.createKey({ projectId, label: 'k' });
  await testLedger.use(of, USD);
  await directory.updateProject(projectId, { limit: 9n * USD });
  await testLedger.use(await identify(secret), 2n * USD);
  const [budget, ...others] = await list({ organizationId });
  assert.deepEqual(others, []);
  assert.deepEqual([budget?.kind, budget?.usage, budget?.pace], ['project', 3n * USD, 3n * USD]);
  assert.equal(hoursTo(budget!), 48);
});

test('a plan has its cycle and its premium week', async () => {
  const of = await testLedger.createCaller();
  const { organizationId } = of;
  const terms = { price: USD, credits: 30n * USD, premiumWeekly: 3n * USD };
  await fresh.database.query({
    text: 'SELECT plan_set($1, $2, $3, $4, $5, $6)',
    values: [
      organizationId,
      'pro',
      String(terms.price),
      String(terms.credits),
      String(terms.premiumWeekly),
      false,
    ],
  });
  await testLedger.use(of, USD, { premium: true });
  const budgets = await list({ organizationId });
  assert.deepEqual(budgets.map(({ kind, limit, left }) => [kind, limit, left]).sort(), [
    ['plan', 30n * USD, 29n * USD],
    ['plan_premium', 3n * USD, 2n * USD],
  ]);
});

test('credits beside a plan are used once it is, if they may be, and not after it renews', async () => {
  const { directory } = fresh.accounts;
  const of = await testLedger.createCaller();
  const { organizationId } = of;
  await directory.addCredits({ organizationId, amount: 6n * USD });
  const subscribe = (credits: bigint, overflow: boolean) =>
    fresh.database.query({
      text: 'SELECT plan_set($1, $2, $3, $4, $5, $6)',
      values: [organizationId, 'pro', String(USD), String(credits), String(USD), overflow],
    });
  const credits = async (): Promise<Budget> =>
    (await list({ organizationId })).find(({ kind }) => kind === 'credits') ?? assert.fail('no credits');
  await subscribe(4n * USD, false);
  await testLedger.use(of, 3n * USD);
  const unused = await credits();
  assert.deepEqual([unused.left, unused.pace, unused.runsOutAt], [6n * USD, 0n, undefined]);
  assert.ok((unused.planRenewsAt ?? 0) > Date.now() + 27 * 24 * HOUR_MS, 'a month from its start');
  await subscribe(4n * USD, true);
  const plan = (await list({ organizationId })).find(({ kind }) => kind === 'plan') ?? assert.fail('no plan');
  const next = await credits();
  assert.equal(next.pace, 0n, 'the plan pays');
  assert.equal(hoursTo(next) - hoursTo(plan), 48, 'six of three a day, after the plan');
  await testLedger.use(of, USD);
  const used = await credits();
  assert.deepEqual([used.pace, hoursTo(used)], [4n * USD, 36], 'the plan is used');
  await directory.addCredits({ organizationId, amount: 200n * USD });
  assert.equal((await credits()).runsOutAt, undefined, 'the plan renews before');
  await directory.endPlan(organizationId);
  assert.equal((await credits()).planRenewsAt, undefined);
});

test('credits that would last longer than any interval beside a plan are listed, without an end', async () => {
  const of = await testLedger.createCaller();
  const { organizationId } = of;
  await fresh.accounts.directory.addCredits({ organizationId, amount: 1_000n * USD });
  await fresh.database.query({
    text: `SELECT plan_set($1, 'pro', $2, $2, $2, true)`,
    values: [organizationId, String(USD)],
  });
  await testLedger.use(of, 1_000n);
  const credits = (await list({ organizationId })).find(({ kind }) => kind === 'credits');
  assert.deepEqual([credits?.left, credits?.runsOutAt], [1_000n * USD, undefined]);
});

test('what runs out first comes first, in pages without a gap, and only what is in force', async () => {
  const spent = await createKey({ limit: USD });
  await testLedger.use(spent, USD);
  const ended = await createKey({ limit: USD });
  await fresh.accounts.directory.updateKey(ended.keyId, { disabled: true });
  const all = await list();
  assert.equal(all[0]?.subjectId, spent.keyId);
  assert.ok(!all.some(({ subjectId }) => subjectId === ended.keyId));
  const ends = all.map(({ runsOutAt = Infinity }) => runsOutAt);
  assert.deepEqual(
    ends,
    ends.toSorted((a, b) => a - b),
  );
  const paged: string[] = [];
  for (let after: string | undefined; ;) {
    const page = await list({ limit: 2, ...(after !== undefined && { after }) });
    if (page.length === 0) break;
    paged.push(...page.map(({ id }) => id));
    after = page.at(-1)?.id;
  }
  assert.deepEqual(
    paged,
    all.map(({ id }) => id),
  );
});

test('a project and a member see the budgets of their own keys', async () => {
  const { directory } = fresh.accounts;
  const { organizationId } = fresh.caller;
  const other = await directory.createProject({ organizationId, name: 'other' });
  const member = await directory.addMember({ organizationId, name: 'Eve', role: 'member' });
  const { key } = await directory.createKey({
    projectId: other.id,
    label: 'own',
    limit: USD,
    memberId: member.id,
  });
  for (const filter of [{ projectId: other.id }, { memberId: member.id }])
    assert.deepEqual(
      (await list(filter)).map(({ subjectId }) => subjectId),
      [key.id],
    );
});
