import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createUsage } from '#canonical';
import type { Session } from '#storage';
import { createRow } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { openFreshDatabase } from '../../../test/support/fresh-database.ts';
import type { LogRow } from '../rows/log-row.ts';
import { type SessionAgent } from './session-tree.ts';
import { type Sessions, createSessions } from './sessions.ts';

const ACME = { organizationId: 'org_1' };
const BEGIN = Date.UTC(2026, 10, 1);

let sessions: Sessions;
const fresh = shareOpened(() => openFreshDatabase());
before(() => {
  sessions = createSessions({ database: fresh.database });
});

let count = 0;

/** A row of a session; each starts a second after the one before. */
async function add(session: string, more: Partial<LogRow> = {}): Promise<string> {
  count += 1;
  const requestId = `req_${String(count).padStart(5, '0')}`;
  const caller = { organizationId: 'org_1', projectId: 'prj_1', keyId: 'key_1', keyLabel: 'k' };
  const row = createRow(caller, requestId, {
    sessionId: session,
    startedAt: BEGIN + count * 1_000,
    durationMs: 500,
    customer: '100',
    provider: '80',
    clientName: 'claude-code',
    modelId: 'opus',
    usage: createUsage({ inputUncached: 10, outputText: 5 }),
    ...more,
  });
  await fresh.database.query({ text: 'SELECT request_log_store($1)', values: [JSON.stringify([row])] });
  return requestId;
}

/** An agent as `name cost [turns] (agents)`. */
function describe({ agentId = 'main', total, own, turns, agents }: SessionAgent): string {
  const sizes = turns.map(({ requests }) => requests).join(' ');
  return `${agentId} ${total.customer}/${own.customer} [${sizes}] (${agents.map(describe).join(', ')})`;
}

test('a session is a tree of agents, sub-agents and turns, whose total is the sum of its rows', async () => {
  await add('s');
  await add('s', { agentId: 'a' });
  await add('s', { agentId: 'b', parentAgentId: 'a', modelId: 'haiku' });
  await add('s', { agentId: 'b', parentAgentId: 'a' });
  await add('s', { agentId: 'c' });
  await add('s', { attempts: [createAttempt(), createAttempt(), createAttempt()] });
  await add('other');
  const tree = await sessions.find('s', ACME);
  assert.equal(
    tree && describe(tree.main),
    'main 600/200 [1 1] (a 300/100 [1] (b 200/200 [1 1] ()), c 100/100 [1] ())',
  );
  const total = tree?.main.total;
  assert.deepEqual(
    [total?.requests, total?.retries, total?.provider, total?.durationMs],
    [6, 2, 480n, 3_000],
  );
  assert.deepEqual([total?.models, total?.usage.inputUncached], [['opus', 'haiku'], 60]);
  assert.equal((total?.endedAt ?? 0) - (total?.startedAt ?? 0), 5_500);
});

test('a session is found by its own index, even where all rows, or those of its key, seem to cost less', async () => {
  await add('indexed');
  await fresh.database.query({ text: 'ANALYZE request_log' });
  const session = await fresh.database.openSession();
  const count = async (): Promise<number> => {
    const text = `SELECT (SELECT sum(seq_tup_read) FROM pg_stat_xact_user_tables)::int + (SELECT sum(pg_stat_get_xact_numscans(oid))
      FROM pg_class WHERE relname ~ '^request_log_.*_(key_id|organization_id)_')::int AS count`;
    return (await session.query<{ count: number }>({ text })).rows[0]?.count ?? 0;
  };
  try {
    await session.query({ text: 'BEGIN' });
    const database = {
      ...fresh.database,
      transaction: <Result>(run: (client: Session) => Promise<Result>) => run(session),
    };
    const before = await count();
    assert.ok(await createSessions({ database }).find('indexed', ACME, { keyId: 'key_1' }));
    assert.equal((await count()) - before, 0, 'rows read by scans, and other indexes');
  } finally {
    await session.close();
  }
});

test('requests with one turn id are one turn', async () => {
  const ids = [await add('turns', { turnId: 't1' }), await add('turns', { turnId: 't1' })];
  await add('turns', { turnId: 't2' });
  const tree = await sessions.find('turns', ACME);
  assert.deepEqual(
    tree?.main.turns.map(({ turnId, requestIds }) => [turnId, requestIds.length]),
    [
      ['t1', 2],
      ['t2', 1],
    ],
  );
  assert.deepEqual(tree.main.turns[0]?.requestIds, ids);
});

test('agents whose parents have no rows, or lead back to themselves, are in the tree once', async () => {
  await add('odd', { agentId: 'child', parentAgentId: 'silent' });
  await add('odd', { agentId: 'x', parentAgentId: 'y' });
  await add('odd', { agentId: 'y', parentAgentId: 'x' });
  await add('odd', { agentId: 'self', parentAgentId: 'self' });
  const tree = await sessions.find('odd', ACME);
  assert.equal(tree?.main.total.requests, 4);
  assert.equal(
    describe(tree.main),
    'main 400/0 [] (silent 100/0 [] (child 100/100 [1] ()), y 200/100 [1] (x 100/100 [1] ()), self 100/100 [1] ())',
  );
});

test('a turn has the outcome of its last request, and agents, sessions and lists count what failed', async () => {
  const refused = { finishReason: 'client_error', status: 402, errorCode: 'key_limit_reached' } as const;
  await add('refused', {
    turnId: 't1',
    finishReason: 'upstream_error',
    status: 503,
    errorCode: 'overloaded',
  });
  await add('refused', { turnId: 't1' });
  await add('refused', { turnId: 't2', ...refused });
  await add('refused', { agentId: 'a', keyId: 'key_2', ...refused });
  await add('refused', { agentId: 'a', finishReason: 'canceled', status: 499, errorCode: 'client_closed' });
  const tree = (await sessions.find('refused', ACME)) ?? assert.fail();
  const { main } = tree;
  assert.deepEqual([main.total.failed, main.own.failed, main.agents[0]?.total.failed], [3, 2, 1]);
  assert.deepEqual(
    main.turns.map(({ outcome, failed }) => [outcome, failed]),
    [
      [{ status: 200 }, 1],
      [{ status: 402, errorCode: 'key_limit_reached' }, 1],
    ],
  );
  const [line] = await sessions.list({ since: BEGIN, limit: 1 }, ACME);
  assert.deepEqual([line?.sessionId, line?.failed, line?.keyIds], ['refused', 3, ['key_1', 'key_2']]);
});

test('a session grows while it runs', async () => {
  for (let turn = 1; turn <= 3; turn += 1) {
    await add('live');
    assert.equal((await sessions.find('live', ACME))?.main.turns.length, turn);
  }
});

test('sessions are listed by their latest request, with filters, and only those of the tenant', async () => {
  await add('mine', { memberId: 'mem_1', endUserId: 'ann', agentId: 'a' });
  await add('theirs', { organizationId: 'org_2' });
  await add('mine', { memberId: 'mem_1', endUserId: 'ann' });
  const list = async (filter: object, tenant = ACME): Promise<string[]> =>
    (await sessions.list({ since: BEGIN, limit: 100, ...filter }, tenant)).map(({ sessionId }) => sessionId);
  assert.deepEqual((await list({})).slice(0, 2), ['mine', 'live']);
  assert.deepEqual(await list({ memberId: 'mem_1', clientName: 'claude-code', endUserId: 'ann' }), ['mine']);
  assert.deepEqual(await list({ limit: 1 }), ['mine']);
  assert.deepEqual(await list({ memberId: 'mem_2' }), []);
  assert.deepEqual(await list({ since: Date.now() + 1e9 }), []);
  assert.deepEqual(await list({}, { organizationId: 'org_2' }), ['theirs']);
  const [mine] = await sessions.list({ since: BEGIN, limit: 1 }, ACME);
  assert.deepEqual([mine?.requests, mine?.agents, mine?.customer], [2, 1, 200n]);
});

test('the most expensive sessions of a span come first when they are sorted by cost', async () => {
  const since = BEGIN + (count + 1) * 1_000;
  for (const [session, customer] of [
    ['expensive', '900'],
    ['cheap', '1'],
    ['middling', '90'],
  ] as const)
    await add(session, { customer });
  const until = BEGIN + (count + 1) * 1_000;
  await add('cheap', { customer: '9000' });
  const list = async (filter: object): Promise<string[]> =>
    (await sessions.list({ since, limit: 2, ...filter }, ACME)).map(({ sessionId }) => sessionId);
  assert.deepEqual(await list({ sort: 'cost', until }), ['expensive', 'middling']);
  assert.deepEqual(await list({ sort: 'cost', until, offset: 2 }), ['cheap']);
  assert.deepEqual(await list({ sort: 'cost' }), ['cheap', 'expensive']);
  assert.deepEqual(await list({ until }), ['middling', 'cheap']);
});

test('a session of another organization does not exist; for the operator its organization must be clear', async () => {
  assert.equal(await sessions.find('theirs', ACME), undefined);
  assert.equal((await sessions.find('theirs', 'all'))?.organizationId, 'org_2');
  await add('both');
  await add('both', { organizationId: 'org_2' });
  await assert.rejects(sessions.find('both', 'all'), /name the organization/);
  assert.equal((await sessions.find('both', ACME))?.main.total.requests, 1);
});

function createAttempt(): LogRow['attempts'][number] {
  return { providerId: 'p', externalId: 'm', outcome: 'answered', durationMs: 1 };
}
