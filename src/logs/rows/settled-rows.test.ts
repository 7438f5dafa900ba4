import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFreshDatabase } from '../../../test/support/fresh-database.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import type { Queryable } from '#storage';
import { SettledFrontier, readSettled } from './settled-rows.ts';

const fresh = shareOpened(() => openFreshDatabase());

async function store(client: Queryable, ...ids: string[]): Promise<void> {
  const rows = ids.map((requestId) => ({
    requestId,
    organizationId: 'org_1',
    projectId: 'prj_1',
    keyId: 'key_1',
    startedAt: Date.now(),
    endpoint: '/v1/messages',
    format: 'messages',
    finishReason: 'completed',
    status: 200,
  }));
  await client.query({ text: 'SELECT request_log_store($1)', values: [JSON.stringify(rows)] });
}

test('a row that is committed after rows with later positions is not passed over', async () => {
  const { database } = fresh;
  const frontier = new SettledFrontier();
  const read = async (after: bigint): Promise<string[]> => {
    const through = await frontier.advance(database);
    const rows = await readSettled(database, { after, through }, 'all');
    return rows.map(({ row }) => row.requestId);
  };
  await store(database, 'first');
  assert.deepEqual(await read(0n), ['first']);
  const start = frontier.position;
  const slow = await database.openSession();
  await slow.query({ text: 'BEGIN' });
  await store(slow, 'slow');
  await store(database, 'fast', 'faster');
  assert.deepEqual(await read(start), [], 'the slow one may still appear before them');
  await slow.query({ text: 'COMMIT' });
  assert.deepEqual(await read(start), ['slow', 'fast', 'faster']);
  await slow.close();
});

test('a transaction that is rolled back, and one that only reads, delay no rows', async () => {
  const { database } = fresh;
  const frontier = new SettledFrontier();
  const start = await frontier.advance(database);
  const other = await database.openSession();
  await other.query({ text: 'BEGIN' });
  await store(other, 'gone');
  await store(database, 'kept');
  await frontier.advance(database);
  await other.query({ text: 'ROLLBACK' });
  await other.query({ text: 'BEGIN' });
  await other.query({ text: 'SELECT count(*) FROM request_log' });
  const through = await frontier.advance(database);
  const rows = await readSettled(database, { after: start, through }, 'all');
  assert.deepEqual(
    rows.map(({ row }) => row.requestId),
    ['kept'],
  );
  await other.close();
});
