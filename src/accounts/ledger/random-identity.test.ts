import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Accounts, Caller } from '#accounts';
import { GatewayError } from '#errors';
import { type FreshAccounts, createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { createFaultyDatabase } from '../../../test/support/faulty-database.ts';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { repetitions } from '../../../test/support/repetitions.ts';

const OPERATIONS = Number(process.env['IDENTITY_OPERATIONS'] ?? repetitions(2_000));
const WORKERS = 48;
const BUDGET = 2_000_000n;
const HOUR_MS = 3_600_000;
const CODES = [
  'member_budget_reached',
  'session_budget_reached',
  'project_limit_reached',
  'organization_limit_reached',
  'store_unavailable',
];

interface Cast {
  organizationId: string;
  callers: Caller[];
  memberIds: string[];
  projectIds: string[];
}

/**
 * Two members with two keys each in one organization, a key without a member, and two session tokens for most keys. One
 * of the two projects has a limit per period; all-time limits come later.
 */
async function createCast({ accounts }: FreshAccounts): Promise<Cast> {
  const { directory } = accounts;
  const { id: organizationId } = await directory.createOrganization('o');
  await directory.addCredits({ organizationId, amount: 10n * BUDGET });
  const projectIds: string[] = [];
  for (const name of ['p', 'q'])
    projectIds.push((await directory.createProject({ organizationId, name })).id);
  await directory.updateProject(projectIds[0]!, {
    recurringLimit: { amount: BUDGET / 3n, period: 'hour' },
  });
  const budgets = [
    { limit: BUDGET / 2n },
    { recurringLimit: { amount: BUDGET / 4n, period: 'hour' as const } },
  ];
  const members = await Promise.all(
    budgets.map((budget) => directory.addMember({ organizationId, name: 'm', role: 'member', ...budget })),
  );
  const memberIds = members.map(({ id }) => id);
  const callers: Caller[] = [];
  for (const [index, memberId] of [...memberIds, ...memberIds, undefined].entries()) {
    const { secret, key } = await directory.createKey({
      projectId: projectIds[index % 2]!,
      label: `k${index}`,
      ...(memberId !== undefined && { memberId }),
      ...(index === 1 && { recurringLimit: { amount: BUDGET / 5n, period: 'hour' as const } }),
    });
    callers.push(await accounts.identify(secret));
    for (let at = 0; at < (index === 3 ? 0 : 2); at += 1) {
      const { secret: token } = await directory.createSessionToken({ keyId: key.id, limit: BUDGET / 6n });
      callers.push(await accounts.identify(token, { sessions: true }));
    }
  }
  return { organizationId, callers, memberIds, projectIds };
}

test(`after ${OPERATIONS} random requests of members, their keys and session tokens in two projects, with changing budgets, lost answers and dead owners in two processes, no budget is crossed and every sum agrees`, async () => {
  const seed = Number(process.env['SEED'] ?? 20261123);
  const random = createSeededRandom(seed);
  const clock = new TestClock();
  await using fresh = await openFreshAccounts({ admissionWaitMs: 20, windowClock: clock });
  const faulty = createFaultyDatabase(await fresh.fresh.connect());
  const other = await fresh.join({ database: faulty.database });
  const { organizationId, callers, memberIds, projectIds } = await createCast(fresh);
  const paid = new Map<string, bigint>();
  const pay = (id: string | undefined, amount: bigint): void => {
    if (id !== undefined) paid.set(id, (paid.get(id) ?? 0n) + amount);
  };
  const refusals = new Set<string>();
  let started = 0;

  const runOne = async ({ ledger }: Accounts): Promise<void> => {
    const requestId = `req_${(started += 1)}`;
    const caller = callers[Math.floor(random() * callers.length)]!;
    const amount = BigInt(Math.floor(random() * 30_000));
    const row = createRow(caller, requestId);
    const least = random() < 0.3 ? { leastAmount: amount / 10n } : {};
    const hold = await ledger.reserve({ requestId, caller, amount, ...least, row });
    if (random() < 0.01) return; // left open: its process will be gone
    const customer = random() < 0.2 ? 0n : (hold.amount * BigInt(Math.floor(random() * 101))) / 100n;
    for (const id of [caller.keyId, caller.memberId, caller.sessionTokenId]) pay(id, customer);
    await ledger.settle({ requestId, customer, provider: customer, estimated: random() < 0.1, row });
  };
  const changeBudget = async (): Promise<void> => {
    const amount = BUDGET / BigInt(1 + Math.floor(random() * 3));
    const isRecurring = random() < 0.5;
    await fresh.accounts.directory.updateMember(memberIds[1]!, {
      limit: isRecurring ? null : 4n * BUDGET,
      recurringLimit: isRecurring ? { amount, period: random() < 0.5 ? 'hour' : 'day' } : null,
    });
  };
  /** Of the project without one so far, which has one from time to time. */
  const changeProject = async (): Promise<void> => {
    const amount = BUDGET / BigInt(1 + Math.floor(random() * 4));
    await fresh.accounts.directory.updateProject(projectIds[1]!, {
      recurringLimit: random() < 0.3 ? null : { amount, period: random() < 0.5 ? 'hour' : 'day' },
    });
  };
  /** What each project may have used and held since its total limit was changed. */
  const ceilings = new Map<string, bigint>();
  const readTotal = async (projectId: string): Promise<{ total: bigint; lim: bigint } | undefined> => {
    const { rows } = await fresh.database.query<Record<'total' | 'lim', string>>({
      text: `
        SELECT (used + held)::text AS total, lim::text FROM meter
        WHERE kind = 'project' AND subject_id = $1 AND lim IS NOT NULL`,
      values: [projectId],
    });
    const [row] = rows;
    return row && { total: BigInt(row.total), lim: BigInt(row.lim) };
  };
  const checkTotal = async (projectId: string): Promise<void> => {
    const { total = 0n } = (await readTotal(projectId)) ?? {};
    const ceiling = ceilings.get(projectId) ?? 0n;
    assert.ok(total <= ceiling, `seed ${seed}: project ${projectId}: ${total} > ${ceiling}`);
  };
  /** What a project may ever spend, near what it has: above or below it, or none. */
  const changeTotal = async (projectId: string): Promise<void> => {
    const { directory } = fresh.accounts;
    await checkTotal(projectId);
    const { usage } = await directory.getProject(projectId);
    const share = BigInt(80 + Math.floor(random() * 60));
    await directory.updateProject(projectId, { limit: random() < 0.4 ? null : (usage * share) / 100n });
    const { total, lim } = (await readTotal(projectId)) ?? { total: 0n, lim: 0n };
    ceilings.set(projectId, total > lim ? total : lim);
  };
  let totalChanged = Promise.resolve();
  const changeTotals = (): Promise<void> =>
    (totalChanged = totalChanged.then(() => changeTotal(projectIds[random() < 0.5 ? 0 : 1]!)));
  /** Low, and from time to time none, so that requests come to the other limits, too. */
  const changeOrganization = async (): Promise<void> => {
    await fresh.accounts.directory.updateOrganization(organizationId, {
      recurringLimit: random() < 0.7 ? null : { amount: BUDGET / 10n, period: 'hour' },
    });
  };
  /** The order of requests depends on the machine, too. */
  const isMissing = (): boolean => CODES.some((code) => !refusals.has(code));
  const work = async (accounts: Accounts): Promise<void> => {
    while (started < OPERATIONS || (started < 20 * OPERATIONS && isMissing())) {
      if (random() < 0.01) Object.assign(faulty, { state: random() < 0.5 ? 'silent' : 'down', faults: 3 });
      if (random() < 0.01) await changeBudget();
      if (random() < 0.01) await changeProject();
      if (random() < 0.02) await changeTotals();
      if (random() < 0.02) await changeOrganization();
      if (random() < 0.005) clock.advance(HOUR_MS + 1);
      await runOne(accounts).catch((error: unknown) => {
        if (error instanceof GatewayError) refusals.add(error.code);
        const isKnown = error instanceof GatewayError && error.code !== 'internal_error';
        assert.ok(isKnown && ['account', 'gateway'].includes(error.blame), String(error));
      });
    }
  };
  await Promise.all(
    Array.from({ length: WORKERS }, (_, index) => work(index % 2 === 0 ? fresh.accounts : other)),
  );
  faulty.state = 'up';
  for (const code of CODES) assert.ok(refusals.has(code), `seed ${seed}: nothing came to ${code}`);

  const { rows: meters } = await fresh.database.query<
    Record<'kind' | 'subject_id' | 'used' | 'total' | 'lim', string>
  >({
    text: `
      SELECT kind, subject_id, used::text, (used + held)::text AS total, lim::text FROM meter
      WHERE lim IS NOT NULL AND kind <> 'project' AND NOT (kind LIKE '%recurring' AND subject_id = ANY ($1))`,
    values: [[memberIds[1], projectIds[1]]], // their limits were lowered below their usage
  });
  assert.ok(meters.filter(({ kind }) => kind === 'session').length === 8);
  for (const { kind, subject_id: id, total, lim } of meters)
    assert.ok(BigInt(total) <= BigInt(lim), `seed ${seed}: ${kind} ${id}: ${total} > ${lim}`);
  for (const id of projectIds) await checkTotal(id);
  await other.close();
  await fresh.database.query({ text: `UPDATE owner SET heartbeat_at = '-infinity'` });
  const sweeper = await fresh.join();
  assert.deepEqual(await sweeper.ledger.check(), [], `seed ${seed}`);
  const { rows: used } = await fresh.database.query<{ id: string; used: string }>({
    text: `SELECT subject_id AS id, used::text FROM meter WHERE kind IN ('key', 'member', 'session') AND subject_id <> $1`,
    values: [fresh.caller.keyId],
  });
  for (const { id, used: sum } of used) assert.equal(BigInt(sum), paid.get(id) ?? 0n, `seed ${seed}: ${id}`);
});
