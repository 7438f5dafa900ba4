import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { until } from '../../../test/support/until.ts';
import type { LogRow } from './log-row.ts';
import { LogFeed, type LogReader } from './log-feed.ts';
import { createLogs } from './logs.ts';
import { matchesFilter } from './matches-filter.ts';
import { EQUAL_NAMES, type EqualName, FILTER_NAMES, type RequestFilter } from './request-filters.ts';

const fresh = shareOpened(() => openFreshAccounts());

const write = (row: LogRow): Promise<void> => fresh.accounts.ledger.record(row);

interface Read extends LogReader {
  ids: string[];
  skipped: number;
  isOver: boolean;
}

function createReader(filter: RequestFilter = {}): Read {
  const read: Read = {
    filter,
    ids: [],
    skipped: 0,
    isOver: false,
    take: ({ requestId }) => void read.ids.push(requestId),
    skip: () => void (read.skipped += 1),
    fail: () => void (read.isOver = true),
  };
  return read;
}

test('each reader gets each new row that fits once, and none from before', async () => {
  const feed = new LogFeed({ database: fresh.database });
  const { caller } = fresh;
  await write(createRow(caller, 'req_old'));
  const all = createReader();
  const own = createReader();
  const leave = [await feed.follow(all, 'all'), await feed.follow(own, { organizationId: 'org_followed' })];
  await write(createRow(caller, 'req_slow', { startedAt: Date.now() - 3_600_000 }));
  await write(createRow({ ...caller, organizationId: 'org_followed' }, 'req_own'));
  await until('both are seen', () => all.ids.length === 2);
  assert.deepEqual([all.ids, own.ids], [['req_slow', 'req_own'], ['req_own']]);
  leave[0]?.();
  await write(createRow({ ...caller, organizationId: 'org_followed' }, 'req_next'));
  await until('the next is seen', () => own.ids.length === 2);
  assert.deepEqual([all.ids.length, own.ids], [2, ['req_own', 'req_next']]);
  leave[1]?.();
});

test('a row that is committed after rows with later positions is seen', async () => {
  const { database } = fresh;
  const feed = new LogFeed({ database });
  const reader = createReader();
  const leave = await feed.follow(reader, 'all');
  const row = (id: string) => [JSON.stringify([createRow(fresh.caller, id)])];
  await database.transaction(async (client) => {
    await client.query({ text: 'SELECT request_log_store($1)', values: row('req_first') });
    await database.query({ text: 'SELECT request_log_store($1)', values: row('req_second') });
    await until('the second is seen', () => reader.ids.length > 0);
    assert.deepEqual(reader.ids, ['req_second']);
  });
  await until('the first is seen', () => reader.ids.length > 1);
  assert.deepEqual(reader.ids, ['req_second', 'req_first']);
  leave();
});

test('of too many at once the newest are read, and readers learn that some are missing', async () => {
  const { database } = fresh;
  const feed = new LogFeed({ database });
  const reader = createReader();
  const leave = await feed.follow(reader, 'all');
  const rows = Array.from({ length: 600 }, (_, index) => createRow(fresh.caller, `req_many_${index}`));
  await database.query({ text: 'SELECT request_log_store($1)', values: [JSON.stringify(rows)] });
  await until('they are read', () => reader.ids.length > 0);
  assert.deepEqual([reader.ids.length, reader.skipped], [500, 1]);
  leave();
});

/** Filters by equality with the value of one row; the other filters are below. */
const EQUAL = EQUAL_NAMES.filter((name) => name !== 'organizationId' && name !== 'finishReason').map(
  (name): Partial<Record<Exclude<EqualName, 'finishReason'>, string>> => ({ [name]: `the-${name}` }),
);

test('each filter selects the same rows in a list and in the stream, some of them and not all', async () => {
  const logs = createLogs({ database: fresh.database });
  const caller = { ...fresh.caller, organizationId: 'org_filtered' };
  const more: Partial<LogRow>[] = [
    ...EQUAL,
    { modelId: 'real', requestedModel: 'alias', userAgent: 'cli_1 (x)' },
    { tags: { team: 'a', 'odd=': 'b' }, errorMessage: '100% OVER\\loaded', finishReason: 'upstream_error' },
    { tags: { team: 'b' } },
    { requestedModel: 'real', clientRequestId: 'mine_1', upstreamId: 'msg_1' },
  ];
  for (const [index, facts] of more.entries()) await write(createRow(caller, `req_filter_${index}`, facts));
  await write(createRow({ ...caller, organizationId: 'org_other' }, 'req_filter_other'));
  const list = async (filter: RequestFilter): Promise<LogRow[]> => {
    const organizations = ['org_filtered', 'org_other'].map((organizationId) => ({ organizationId }));
    const { organizationId: only } = filter;
    const asked = organizations.filter(({ organizationId }) => (only ?? organizationId) === organizationId);
    return (await Promise.all(asked.map((tenant) => logs.list(filter, tenant)))).flat();
  };
  const rows = await list({});
  assert.equal(rows.length, more.length + 1);
  const filters: RequestFilter[] = [
    ...EQUAL,
    { model: 'real' },
    { model: 'alias' },
    { sessionId: '' },
    { keyId: caller.keyId },
    { keyId: 'key_no' },
    { projectId: caller.projectId },
    { finishReason: 'upstream_error' as const },
    { finishReason: 'error' as const },
    { tag: 'team' },
    { tag: 'team=a' },
    { tag: ' team = b ' },
    { tag: 'no' },
    { userAgent: 'cli_' },
    { userAgent: 'cli%' },
    { userAgent: 'li' },
    { search: 'over\\' },
    { search: '0%' },
    { search: 'MINE' },
    { search: 'msg_' },
    { search: 'alias' },
    { search: 'e_s' },
    { memberId: 'no' },
    { organizationId: 'org_filtered' },
    { organizationId: 'org_other' },
    {
      model: 'real',
      tag: 'team',
    },
  ];
  const selective = new Set<string>();
  for (const filter of filters) {
    const listed = (await list(filter)).map(({ requestId }) => requestId);
    const fitting = rows.filter((row) => matchesFilter(row, filter)).map(({ requestId }) => requestId);
    assert.deepEqual(fitting, listed, JSON.stringify(filter));
    const [name = '', ...others] = Object.keys(filter);
    if (others.length === 0 && listed.length > 0 && listed.length < rows.length) selective.add(name);
  }
  const unproven = FILTER_NAMES.filter((name) => !selective.has(name));
  assert.deepEqual(unproven, [], 'add a row above and a filter that finds it');
});

test('a database that cannot be read ends what follows', async () => {
  const reader = createReader();
  let isDown = false;
  const broken: typeof fresh.database = {
    ...fresh.database,
    query: async (statement) => {
      if (isDown) throw new Error('down');
      return fresh.database.query(statement);
    },
  };
  await new LogFeed({ database: broken }).follow(reader, 'all');
  isDown = true;
  await until('it is over', () => reader.isOver);
});
