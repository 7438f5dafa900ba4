import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { refusalOf } from '../../../test/support/catch-refusal.ts';
import type { Caller } from '#accounts';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { TestLedger } from '../../../test/support/test-ledger.ts';
import { createPlanCatalogue } from '../plans/plan-terms.ts';

const USD = 1_000_000_000_000n;
const HOUR_MS = 3_600_000;
const PLANS = createPlanCatalogue();

const clock = new TestClock();
const fresh = shareOpened(() => openFreshAccounts({ windowClock: clock }));
const testLedger = new TestLedger(fresh);

afterEach(async () => assert.deepEqual(await fresh.accounts.ledger.check(), []));

interface Team {
  organizationId: string;
  projectId: string;
  one: Caller;
  two: Caller;
  /** Of another project of the organization. */
  outside: Caller;
}

/** Two keys of one project, and one of another. */
async function createTeam(): Promise<Team> {
  const { directory, identify } = fresh.accounts;
  const { id: organizationId } = await directory.createOrganization('Acme');
  const createProject = async (): Promise<string> =>
    (await directory.createProject({ organizationId, name: 'p' })).id;
  const createCaller = async (projectId: string): Promise<Caller> =>
    identify((await directory.createKey({ projectId, label: 'k' })).secret);
  const projectId = await createProject();
  return {
    organizationId,
    projectId,
    one: await createCaller(projectId),
    two: await createCaller(projectId),
    outside: await createCaller(await createProject()),
  };
}

async function readRefusal(promise: Promise<unknown>, expected: string): Promise<string> {
  const { code, status, message } = await refusalOf(promise);
  assert.deepEqual([code, status], [expected, 402]);
  return message;
}

const limitProject = (id: string, amount: bigint | null) =>
  fresh.accounts.directory.updateProject(id, {
    recurringLimit: amount === null ? null : { amount, period: 'hour' },
  });
const limitTotal = (id: string, limit: bigint | null) =>
  fresh.accounts.directory.updateProject(id, { limit });
const limitOrganization = (id: string, amount: bigint | null) =>
  fresh.accounts.directory.updateOrganization(id, {
    recurringLimit: amount === null ? null : { amount, period: 'month' },
  });

test('all keys of a project share its limit, to the last pico-USD, until its period ends; other projects do not', async () => {
  const { projectId, one, two, outside } = await createTeam();
  await limitProject(projectId, 10n * USD);
  await testLedger.use(one, 6n * USD);
  const resetsAt = clock.now() + HOUR_MS;
  const project = await fresh.accounts.directory.getProject(projectId);
  assert.deepEqual(project.recurringUsage, { used: 6n * USD, resetsAt });
  const message = await readRefusal(testLedger.reserve(two, 5n * USD), 'project_limit_reached');
  assert.match(
    message,
    /^The project of this key has a recurring limit of 10 USD per hour and has used 6 USD: 4 USD is left/,
  );
  assert.ok(message.endsWith(`It resets at ${new Date(resetsAt).toISOString()}.`), message);
  await testLedger.use(two, 4n * USD);
  await readRefusal(testLedger.reserve(one, 1n), 'project_limit_reached');
  await testLedger.use(outside, 50n * USD);
  clock.advance(HOUR_MS + 1);
  await testLedger.use(one, 10n * USD);
  await readRefusal(testLedger.reserve(two, 1n), 'project_limit_reached');
});

test('all keys of a project share its total limit, to the last pico-USD; other projects do not', async () => {
  const { projectId, one, two, outside } = await createTeam();
  await limitTotal(projectId, USD);
  await testLedger.use(one, (6n * USD) / 10n);
  const message = await readRefusal(testLedger.reserve(two, USD / 2n), 'project_limit_reached');
  assert.match(
    message,
    /^The project of this key has a limit of 1 USD and has used 0\.6 USD: 0\.4 USD is left.* does not reset/,
  );
  await testLedger.use(two, (4n * USD) / 10n);
  await readRefusal(testLedger.reserve(one, 1n), 'project_limit_reached');
  await testLedger.use(outside, 50n * USD);
  const { usage, limit } = await fresh.accounts.directory.getProject(projectId);
  assert.deepEqual([usage, limit], [USD, USD]);
});

test('all keys of an organization share its limit, and a project has no more than its organization', async () => {
  const { organizationId, projectId, one, outside } = await createTeam();
  await limitOrganization(organizationId, 10n * USD);
  await testLedger.use(outside, 4n * USD);
  const message = await readRefusal(testLedger.reserve(one, 7n * USD), 'organization_limit_reached');
  assert.match(message, /^The organization has a recurring limit of 10 USD per month and has used 4 USD/);
  await limitProject(projectId, 5n * USD);
  await readRefusal(testLedger.reserve(one, 6n * USD), 'project_limit_reached');
  await limitProject(projectId, 8n * USD);
  await testLedger.use(one, 6n * USD);
  await readRefusal(testLedger.reserve(outside, 1n), 'organization_limit_reached');
});

test('a refused request leaves no hold and opens no period; one that costs nothing neither', async () => {
  const { organizationId, projectId, one } = await createTeam();
  await limitOrganization(organizationId, 3n * USD);
  await limitProject(projectId, 5n * USD);
  await readRefusal(testLedger.reserve(one, 4n * USD), 'organization_limit_reached');
  await testLedger.settle(one, (await testLedger.reserve(one, USD)).requestId, 0n);
  const { directory } = fresh.accounts;
  assert.equal((await directory.getProject(projectId)).recurringUsage, undefined);
  assert.equal((await directory.getOrganization(organizationId)).recurringUsage, undefined);
});

test('a limit is changed and removed while requests run; usage of the period stays', async () => {
  const { projectId, one, two } = await createTeam();
  await limitProject(projectId, 10n * USD);
  const open = await testLedger.reserve(one, 6n * USD);
  await limitProject(projectId, 3n * USD);
  await readRefusal(testLedger.reserve(two, 1n), 'project_limit_reached');
  await testLedger.settle(one, open.requestId, 6n * USD);
  await limitProject(projectId, null);
  await testLedger.use(two, 100n * USD);
  assert.equal((await fresh.accounts.directory.getProject(projectId)).recurringLimit, null);
  await limitProject(projectId, 7n * USD);
  await testLedger.use(two, USD);
  await readRefusal(testLedger.reserve(two, 1n), 'project_limit_reached');
});

test('beside a plan both count, and the limit stays when the plan ends', async () => {
  const { directory } = fresh.accounts;
  const { organizationId, one } = await createTeam();
  await limitOrganization(organizationId, 5n * USD);
  await directory.setPlan({ organizationId, plan: 'lite', terms: PLANS.lite, overflow: true });
  await testLedger.use(one, 2n * USD);
  await readRefusal(testLedger.reserve(one, 4n * USD), 'organization_limit_reached');
  await directory.endPlan(organizationId);
  await testLedger.use(one, 3n * USD);
  await readRefusal(testLedger.reserve(one, 1n), 'organization_limit_reached');
});

test('budgets list both with what is left and the last refusal, and the audit log has each change', async () => {
  const { directory } = fresh.accounts;
  const { organizationId, projectId, one } = await createTeam();
  await limitOrganization(organizationId, 20n * USD);
  await limitProject(projectId, 10n * USD);
  await limitProject(projectId, 8n * USD);
  await testLedger.use(one, 6n * USD);
  const budgets = await directory.listBudgets({ organizationId });
  assert.deepEqual(budgets.map(({ kind, subjectId, name, left }) => [kind, subjectId, name, left]).sort(), [
    ['organization_recurring', organizationId, 'Acme', 14n * USD],
    ['project_recurring', projectId, 'p', 2n * USD],
  ]);
  assert.deepEqual(
    (await directory.listBudgets({ projectId })).map(({ kind }) => kind),
    ['project_recurring'],
  );
  const { rows } = await fresh.database.query<{ action: string; after: { limit: string } }>({
    text: `SELECT action, after FROM audit_log
      WHERE organization_id = $1 AND action LIKE 'shared_limit.%' ORDER BY id`,
    values: [organizationId],
  });
  assert.deepEqual(
    rows.map(({ action, after: { limit } }) => [action, limit]),
    [
      ['shared_limit.created', '20'],
      ['shared_limit.created', '10'],
      ['shared_limit.updated', '8'],
    ],
  );
});
