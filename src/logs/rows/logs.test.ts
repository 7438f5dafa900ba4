import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Caller } from '#accounts';
import { USAGE_PARTS, createUsage } from '#canonical';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import type { LogRow } from './log-row.ts';
import { type Logs, createLogs } from './logs.ts';

let logs: Logs;
let stranger: Caller;

const fresh = shareOpened(() => openFreshAccounts());
before(() => {
  logs = createLogs({ database: fresh.database });
  stranger = {
    ...fresh.caller,
    organizationId: 'org_stranger',
    projectId: 'prj_stranger',
    keyId: 'key_stranger',
  };
});

const write = (row: LogRow): Promise<void> => fresh.accounts.ledger.record(row);
const idsOf = (rows: readonly LogRow[]): string[] => rows.map(({ requestId }) => requestId);

test('a row is read as it was written', async () => {
  const row = createRow(fresh.caller, 'req_full', {
    startedAt: 1_790_000_000_123,
    modelId: 'claude-x',
    providerId: 'anthropic',
    externalId: 'claude-x-1',
    finishReason: 'upstream_error',
    status: 502,
    errorCode: 'upstream_broken',
    errorMessage: 'it broke "badly" 🦥',
    estimated: true,
    usage: createUsage(Object.fromEntries(USAGE_PARTS.map((part, at) => [part, at + 1]))),
    units: [
      { unit: 'image', kind: '1024x1024', count: 2 },
      { unit: 'input-audio-ms', count: 1500 },
    ],
    priceVersion: '2026-11',
    attempts: [{ providerId: 'openai', externalId: 'gpt', outcome: 'broken', status: 500, durationMs: 3 }],
    firstEventMs: 12.25,
    clientRequestId: 'mine',
    userAgent: 'cli/1',
    sessionId: 's',
    agentId: 'a',
    upstreamId: 'msg_1',
  });
  await write(row);
  assert.deepEqual(await logs.find('req_full', fresh.caller), row);
});

test('a row of another organization is not found', async () => {
  await write(createRow(stranger, 'req_theirs', { startedAt: 1 }));
  assert.equal(await logs.find('req_theirs', fresh.caller), undefined);
  assert.ok(!idsOf(await logs.list({ limit: 1000 }, fresh.caller)).includes('req_theirs'));
  assert.deepEqual(await logs.list({ keyId: stranger.keyId }, fresh.caller), []);
  const sneaky = { keyId: stranger.keyId, organizationId: stranger.organizationId };
  assert.deepEqual(await logs.list(sneaky, fresh.caller), []);
  assert.deepEqual(idsOf(await logs.list(sneaky, 'all')), ['req_theirs']);
  assert.equal((await logs.find('req_theirs', 'all'))?.keyId, stranger.keyId);
});

test('a reader without the tenant of its rows does not compile', async () => {
  // @ts-expect-error -- does not say whose
  await assert.rejects(logs.list({}));
  // @ts-expect-error -- does not say whose
  await assert.rejects(logs.find('req_theirs'));
  // @ts-expect-error -- a caller who may have no organization
  assert.equal(await logs.find('req_theirs', { organizationId: undefined }), undefined);
});

test('pages of newest first neither repeat nor skip rows, also where many started at once', async () => {
  const caller = { ...fresh.caller, organizationId: 'org_pages' };
  const moments = [5, 5, 5, 3, 9, 9, 1];
  for (const [index, ms] of moments.entries())
    await write(createRow(caller, `req_p${index}`, { startedAt: 1e12 + ms }));
  const seen: string[] = [];
  let page = await logs.list({ limit: 2 }, caller);
  while (page.length > 0) {
    seen.push(...idsOf(page));
    page = await logs.list({ limit: 2, before: page.at(-1)! }, caller);
  }
  assert.deepEqual(seen, ['req_p5', 'req_p4', 'req_p2', 'req_p1', 'req_p0', 'req_p3', 'req_p6']);
});

test('rows are chosen by project, key, model, finish and time', async () => {
  const caller = { ...fresh.caller, organizationId: 'org_filters' };
  await write(createRow(caller, 'req_1', { startedAt: 1e12, requestedModel: 'alias', modelId: 'real' }));
  await write(
    createRow({ ...caller, projectId: 'prj_2' }, 'req_2', { startedAt: 1e12 + 1, requestedModel: 'real' }),
  );
  await write(
    createRow({ ...caller, keyId: 'key_2' }, 'req_3', { startedAt: 1e12 + 2, finishReason: 'canceled' }),
  );
  const choose = async (filter: Parameters<Logs['list']>[0]): Promise<string[]> =>
    idsOf(await logs.list(filter, caller));
  assert.deepEqual(await choose({}), ['req_3', 'req_2', 'req_1']);
  assert.deepEqual(await choose({ projectId: 'prj_2' }), ['req_2']);
  assert.deepEqual(await choose({ keyId: 'key_2' }), ['req_3']);
  assert.deepEqual(await choose({ model: 'real' }), ['req_2', 'req_1']);
  assert.deepEqual(await choose({ model: 'alias' }), ['req_1']);
  assert.deepEqual(await choose({ finishReason: 'canceled' }), ['req_3']);
  await write(createRow(caller, 'req_4', { startedAt: 1e12 + 3, finishReason: 'upstream_error' }));
  await write(createRow(caller, 'req_5', { startedAt: 1e12 + 4, finishReason: 'client_error' }));
  assert.deepEqual(await choose({ finishReason: 'error' }), ['req_5', 'req_4'], 'whatever failed');
  assert.deepEqual(await choose({ since: 1e12 + 1, until: 1e12 + 3 }), ['req_3', 'req_2']);
  assert.deepEqual(await choose({ limit: 0 }), ['req_5'], 'a limit is at least one');
  assert.deepEqual(await choose({ model: `' OR true --` }), []);
});
