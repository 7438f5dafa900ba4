import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseUsd } from '#base';
import type { PlanStatus } from './plan-status.ts';
import { createPlanCatalogue } from './plan-terms.ts';
import { planResource } from './resource.ts';

const usd = (amount: string): bigint => parseUsd(amount) ?? -1n;

const STATUS: PlanStatus = {
  plan: 'pro',
  price: usd('79'),
  creditsUsed: usd('1.5'),
  creditsLimit: usd('237'),
  premiumWeeklyLimit: usd('35.55'),
  overflow: false,
  startedAt: Date.parse('2027-01-31T10:00:00Z'),
  cycleStartsAt: Date.parse('2027-01-31T10:00:00Z'),
  cycleEndsAt: Date.parse('2027-02-28T10:00:00Z'),
};
const [startsAt, resetsAt] = [STATUS.startedAt, Date.parse('2027-02-07T10:00:00Z')];
const WEEK = { used: usd('2'), startsAt, resetsAt };

/** Runs an operation on the plan of an organization, and notes what it asks of the stores. */
async function run(operation: 'get' | 'update', status: PlanStatus | undefined, input: object = {}) {
  const asked: unknown[] = [];
  const note =
    (name: string, result?: unknown) =>
    (...call: unknown[]): Promise<unknown> => {
      asked.push([name, ...call]);
      return Promise.resolve(result);
    };
  const directory = {
    getOrganization: note('getOrganization'),
    findPlan: note('findPlan', status),
    setPlan: note('setPlan', status),
    endPlan: note('endPlan'),
  };
  const ports = { directory, plans: () => createPlanCatalogue() };
  const call = { ...ports, id: 'org_1', input, page: {} } as never;
  return { answer: await planResource.operations[operation]?.run(call), asked };
}

test('a plan is shown with the premium week it has, and with nothing used before its first', async () => {
  const before = await run('get', STATUS);
  const none = { premiumUsed: 0n, premiumWeekResetsAt: null };
  assert.deepEqual(before.answer, { ...STATUS, organizationId: 'org_1', ...none });
  const { answer } = await run('get', { ...STATUS, premiumWeek: WEEK });
  const used = { premiumUsed: WEEK.used, premiumWeekResetsAt: resetsAt };
  assert.deepEqual(answer, { ...STATUS, premiumWeek: WEEK, organizationId: 'org_1', ...used });
});

test('a request for a plan reports whether the organization exists', async () => {
  const { answer, asked } = await run('get', undefined);
  assert.deepEqual(answer, { organizationId: 'org_1', plan: 'none' });
  assert.deepEqual(asked[0], ['getOrganization', 'org_1']);
});

test('a plan is set with the terms on offer, or ended', async () => {
  const set = await run('update', STATUS, { plan: 'pro', overflow: true });
  const terms = createPlanCatalogue().pro;
  const subscribed = { organizationId: 'org_1', plan: 'pro', terms, overflow: true };
  assert.deepEqual(set.asked, [['setPlan', subscribed]]);
  const ended = await run('update', STATUS, { plan: 'none' });
  assert.deepEqual(ended.asked, [['endPlan', 'org_1']]);
  assert.deepEqual(ended.answer, { organizationId: 'org_1', plan: 'none' });
});

test('a command shows what is used of a plan, and what happens beyond it', async () => {
  for (const { name, format } of planResource.commands.commands) {
    if (!format) continue;
    const show = async (status: PlanStatus | undefined): Promise<string[]> =>
      format((await run('get', status)).answer as never) as string[];
    assert.deepEqual(await show(undefined), ['org_1 has no plan'], name);
    assert.deepEqual(await show(STATUS), [
      'org_1 is on plan pro at 79 USD a month, since 2027-01-31 10:00:00',
      'credits: 1.5 of 237 USD used, renewed at 2027-02-28 10:00:00',
      'premium models: 0 of 35.55 USD used, no premium week has started',
      'usage beyond the plan is refused',
    ]);
    assert.deepEqual((await show({ ...STATUS, overflow: true, premiumWeek: WEEK })).slice(2), [
      'premium models: 2 of 35.55 USD used, reset after 2027-02-07 10:00:00',
      'usage beyond the plan is paid from credits',
    ]);
  }
});

test('a command that switches overflow off sets it to false', () => {
  const { cli } = planResource.operations['update']?.input['overflow'] ?? {};
  assert.equal(cli?.shortcuts?.['--no-overflow']?.value, false);
});

test('a file declares overflow only with a plan, and a change of it is named', () => {
  const { listUnused, describe } = planResource.manifest ?? {};
  assert.deepEqual(listUnused?.({ plan: 'none' }), ['overflow']);
  assert.deepEqual(listUnused({ plan: 'pro' }), []);
  assert.equal(describe?.({ plan: 'pro', overflow: true }), 'pro with overflow');
  assert.equal(describe({ plan: 'pro', overflow: false }), 'pro');
});
