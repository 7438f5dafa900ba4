import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { refusalOf } from '../../../test/support/catch-refusal.ts';
import type { Caller } from '#accounts';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { TestLedger } from '../../../test/support/test-ledger.ts';

const USD = 1_000_000_000_000n;

const fresh = shareOpened(() => openFreshAccounts({ windowClock: new TestClock() }));
const testLedger = new TestLedger(fresh);

afterEach(async () => assert.deepEqual(await fresh.accounts.ledger.check(), []));

interface Team {
  organizationId: string;
  projectId: string;
  one: Caller;
  two: Caller;
}

/** Two keys of one project. */
async function createTeam(limit: bigint | null = null): Promise<Team> {
  const { directory, identify } = fresh.accounts;
  const { id: organizationId } = await directory.createOrganization('Acme');
  const { id: projectId } = await directory.createProject({ organizationId, name: 'p', limit });
  const createCaller = async (): Promise<Caller> =>
    identify((await directory.createKey({ projectId, label: 'k' })).secret);
  return { organizationId, projectId, one: await createCaller(), two: await createCaller() };
}

const limitProject = (id: string, limit: bigint | null) =>
  fresh.accounts.directory.updateProject(id, { limit });
const readUsage = async (id: string): Promise<bigint> =>
  (await fresh.accounts.directory.getProject(id)).usage;

async function isRefused(promise: Promise<unknown>): Promise<void> {
  const { code, status } = await refusalOf(promise);
  assert.deepEqual([code, status], ['project_limit_reached', 402]);
}

/** How many meters the hold of a request draws on. */
async function countMeters(requestId: string): Promise<number | undefined> {
  const text = 'SELECT cardinality(meter_ids) AS count FROM hold WHERE request_id = $1';
  return (await fresh.database.query<{ count: number }>({ text, values: [requestId] })).rows[0]?.count;
}

/** The process of a request has crashed, and the request is settled with what is known of it. */
async function sweep(requestId: string): Promise<void> {
  await fresh.database.query({
    text: 'UPDATE hold SET owner_epoch = -1 WHERE request_id = $1',
    values: [requestId],
  });
  await fresh.accounts.ledger.sweep();
}

test('what the project used before it had a limit counts, of deleted keys and of open requests too', async () => {
  const { projectId, one, two } = await createTeam();
  await testLedger.use(one, 3n * USD);
  await testLedger.use(two, 2n * USD);
  const open = await testLedger.reserve(two, 4n * USD);
  await fresh.accounts.directory.deleteKey(one.keyId);
  assert.equal(await readUsage(projectId), 5n * USD);
  await limitProject(projectId, 10n * USD);
  const [budget] = await fresh.accounts.directory.listBudgets({ projectId });
  assert.deepEqual([budget?.kind, budget?.usage, budget?.held], ['project', 5n * USD, 4n * USD]);
  await isRefused(testLedger.reserve(two, 6n * USD));
  await testLedger.settle(two, open.requestId, 4n * USD);
  assert.equal(await readUsage(projectId), 9n * USD);
  await testLedger.use(two, USD);
  await isRefused(testLedger.reserve(two, 1n));
});

test('a limit below what is used refuses every request that costs something, until it is raised', async () => {
  const { projectId, one, two } = await createTeam();
  await testLedger.use(one, 3n * USD);
  await limitProject(projectId, USD);
  await isRefused(testLedger.reserve(two, 1n));
  await testLedger.use(two, 0n);
  await limitProject(projectId, 4n * USD);
  await testLedger.use(two, USD);
  await isRefused(testLedger.reserve(one, 1n));
});

test('a limit is changed and removed while requests run; what is used without one counts when there is one again', async () => {
  const { projectId, one, two } = await createTeam(10n * USD);
  const open = await testLedger.reserve(one, 6n * USD);
  await limitProject(projectId, 3n * USD);
  await isRefused(testLedger.reserve(two, 1n));
  await testLedger.settle(one, open.requestId, 6n * USD); // a request in flight is not stopped
  const across = await testLedger.reserve(two, 0n);
  await limitProject(projectId, null);
  const free = await testLedger.reserve(two, 20n * USD);
  await testLedger.use(one, 50n * USD);
  await limitProject(projectId, 100n * USD);
  await isRefused(testLedger.reserve(one, 25n * USD));
  await testLedger.settle(two, free.requestId, 20n * USD);
  await testLedger.settle(two, across.requestId, 0n);
  assert.equal(await readUsage(projectId), 76n * USD);
  await testLedger.use(one, 24n * USD);
  await isRefused(testLedger.reserve(two, 1n));
});

test('both limits of a project apply, and each is set without the other', async () => {
  const { directory } = fresh.accounts;
  const { projectId, one } = await createTeam(5n * USD);
  const recurringLimit = { amount: 3n * USD, period: 'day' } as const;
  await directory.updateProject(projectId, { recurringLimit });
  const { limit, recurringLimit: set } = await directory.getProject(projectId);
  assert.deepEqual([limit, set], [5n * USD, recurringLimit]);
  assert.match((await refusalOf(testLedger.reserve(one, 4n * USD))).message, /recurring limit of 3 USD/);
  await directory.updateProject(projectId, { recurringLimit: null });
  await testLedger.use(one, 4n * USD);
  assert.match(
    (await refusalOf(testLedger.reserve(one, 2n * USD))).message,
    /a limit of 5 USD and has used 4/,
  );
});

test('a growing hold ends at the limit', async () => {
  const { one, two } = await createTeam(5n * USD);
  const { requestId } = await testLedger.reserve(one, USD);
  await testLedger.use(two, 2n * USD);
  const { ledger } = fresh.accounts;
  assert.equal(await ledger.grow({ requestId, amount: 2n * USD, leastAmount: USD }), 3n * USD);
  await isRefused(ledger.grow({ requestId, amount: 1n, leastAmount: 1n }));
  await testLedger.settle(one, requestId, 3n * USD);
});

test('a settlement without a hold, and one after its hold was swept, are charged to the project', async () => {
  const { projectId, one, two } = await createTeam();
  const before = await testLedger.reserve(one, 10n);
  await sweep(before.requestId);
  await limitProject(projectId, 100n);
  const { ledger } = fresh.accounts;
  const row = createRow(two, testLedger.nextId());
  await ledger.settle({ requestId: row.requestId, customer: 3n, provider: 0n, estimated: false, row });
  const { requestId } = await testLedger.reserve(one, 10n);
  await sweep(requestId);
  await testLedger.settle(one, requestId, 4n);
  await testLedger.settle(one, before.requestId, 5n);
  assert.equal(await readUsage(projectId), 12n);
  await isRefused(testLedger.reserve(two, 89n));
  await testLedger.use(two, 88n);
});

test('requests of an organization without such a limit draw on two meters, also once it has been removed', async () => {
  const { projectId, one } = await createTeam();
  const count = async (): Promise<number | undefined> => {
    const { requestId } = await testLedger.reserve(one, USD);
    const meters = await countMeters(requestId);
    await testLedger.settle(one, requestId, 0n);
    return meters;
  };
  const renews = async (): Promise<boolean | undefined> => {
    const text = `SELECT renews FROM meter WHERE kind = 'credits' AND subject_id = $1`;
    const statement = { text, values: [one.organizationId] };
    return (await fresh.database.query<{ renews: boolean }>(statement)).rows[0]?.renews;
  };
  assert.deepEqual([await count(), await renews()], [2, false]);
  await limitProject(projectId, USD);
  assert.deepEqual([await count(), await renews()], [3, true]);
  await limitProject(projectId, null);
  assert.deepEqual([await count(), await renews()], [2, false]);
});

test('the check of the ledger finds a meter of another project, and usage that is not that of its keys', async () => {
  const { projectId, one } = await createTeam(10n * USD);
  const other = await createTeam(10n * USD);
  await testLedger.use(other.one, USD);
  const { requestId } = await testLedger.reserve(one, 0n);
  const find = async (change: string, undo: string, values: unknown[]): Promise<string[]> => {
    await fresh.database.query({ text: change, values });
    const found = await fresh.accounts.ledger.check();
    await fresh.database.query({ text: undo, values });
    return found.map(({ what }) => what).sort();
  };
  const move = (whose: string) => `
    UPDATE hold SET meter_ids = meter_ids[1:2] || ARRAY(SELECT id FROM meter WHERE kind = 'project' AND subject_id = $${whose})
    WHERE request_id = $1 AND ($2::text, $3::text) IS NOT NULL`;
  const values = [requestId, projectId, other.projectId];
  assert.deepEqual(await find(move('3'), move('2'), values), ['project meter']);
  const charge = (by: string) => `
    UPDATE meter SET used = used ${by}, used_before = used_before ${by} WHERE kind = 'project' AND subject_id = $1`;
  assert.deepEqual(await find(charge('+ 1'), charge('- 1'), [projectId]), ['used by all keys']);
  const use = (by: string) => `UPDATE meter SET used = used ${by} WHERE kind = 'project' AND subject_id = $1`;
  assert.deepEqual(await find(use('+ 1'), use('- 1'), [projectId]), ['used', 'used by all keys']);
  await testLedger.settle(one, requestId, 0n);
});

test('a limit that is removed is no budget, and the audit log has each change', async () => {
  const { directory } = fresh.accounts;
  const { organizationId, projectId } = await createTeam();
  await limitProject(projectId, 10n * USD);
  await limitProject(projectId, 8n * USD);
  await limitProject(projectId, null);
  assert.deepEqual(await directory.listBudgets({ organizationId }), []);
  const { rows } = await fresh.database.query<{ action: string; after: { limit: string; kind: string } }>({
    text: `SELECT action, COALESCE(after, before) AS after FROM audit_log
      WHERE organization_id = $1 AND action LIKE 'shared_limit.%' ORDER BY id`,
    values: [organizationId],
  });
  assert.deepEqual(
    rows.map(({ action, after: { limit } }) => [action, limit]),
    [
      ['shared_limit.created', '10'],
      ['shared_limit.updated', '8'],
      ['shared_limit.deleted', '8'],
    ],
  );
});
