import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { systemClock } from '#base';
import type { Session } from '#storage';
import { countReads, emptyTable } from '../../test/support/count-reads.ts';
import { openFreshDatabase } from '../../test/support/fresh-database.ts';
import { shareOpened } from '../../test/support/share-opened.ts';
import { type Conversations, createConversations } from './conversations.ts';
import { BATCH, deleteOlder } from './sweep.ts';

const TENANT = { projectId: 'prj_1' };
const RESPONSES = 5_000;
/** Conversations of five turns. */
const STORE = `
  INSERT INTO stored_response (project_id, id, previous_id, created_at, item_ids, input, output, response)
  SELECT 'prj_1', 'resp_' || n, CASE WHEN n % 5 > 0 THEN 'resp_' || n - 1 END, now(), ARRAY['msg_' || n], '[]', '[]', '{}'
  FROM generate_series(1, ${RESPONSES}) AS n`;

const fresh = shareOpened(() => openFreshDatabase());
before(async () => {
  await fresh.database.query({ text: STORE });
  await emptyTable(fresh.database, 'stored_response');
  await fresh.database.query({ text: STORE });
});

const open = ({ query }: Session): Conversations =>
  createConversations({ database: { ...fresh.database, query }, clock: systemClock });

test('a conversation is read by itself, where statistics are of a time when nothing was stored', async () => {
  const { reads, value } = await countReads(fresh.database, (session) =>
    open(session).recall('resp_1004', TENANT),
  );
  assert.deepEqual(value, []);
  assert.ok(reads < 100, `${reads} reads`);
});

test('a batch of old responses is selected once', async () => {
  const { reads, value } = await countReads(fresh.database, (session) =>
    session.query(deleteOlder(new Date(Date.now() + 60_000))),
  );
  assert.equal(value.rowCount, BATCH);
  assert.ok(reads < 2 * RESPONSES, `${reads} reads`);
});
