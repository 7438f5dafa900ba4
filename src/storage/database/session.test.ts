import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSharedDatabase } from '../../../test/support/shared-server.ts';
import { connectSession } from './session.ts';

test('statements that are sent at the same time on one session run one after the other', async () => {
  await using shared = await createSharedDatabase();
  const session = await connectSession(shared.connection, 'test');
  const { client } = session;
  const run = client.query.bind(client) as (statement: object) => Promise<unknown>;
  let [open, most] = [0, 0];
  client.query = (async (statement: object) => {
    most = Math.max(most, (open += 1));
    return run(statement).finally(() => (open -= 1));
  }) as typeof client.query;
  const ask = (text: string) => session.query<{ n: number }>({ text });
  const answers = await Promise.allSettled(['SELECT 1 AS n', 'SELECT broken', 'SELECT 3 AS n'].map(ask));
  await session.close();
  assert.equal(most, 1);
  assert.deepEqual(
    answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.rows : answer.status)),
    [[{ n: 1 }], 'rejected', [{ n: 3 }]],
  );
});
