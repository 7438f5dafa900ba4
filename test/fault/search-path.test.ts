import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openInProcess } from '../support/in-process.ts';
import { until } from '../support/until.ts';
import { answer } from '../support/upstream-replies.ts';

const ASK = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };

test('while the search_path leads nowhere readiness fails and requests may be repeated; afterwards all goes on', async () => {
  await using gateway = await openInProcess();
  const { database, databaseUrl } = gateway;
  const name = new URL(databaseUrl).pathname.slice(1);
  const ask = async (): Promise<number> => {
    gateway.upstream.script({ reply: answer({ text: 'hello', chunks: 1 }) });
    const response = await gateway.post('/v1/chat/completions', ASK);
    await response.arrayBuffer();
    return response.status;
  };
  const readStatus = async (): Promise<unknown> =>
    ((await (await gateway.request('/readyz')).json()) as { status: unknown }).status;
  const setPath = async (change: string): Promise<void> => {
    await database.query({ text: `ALTER DATABASE ${name} ${change}` });
  };
  assert.equal(await ask(), 200);
  await setPath('SET search_path = nowhere');
  await database.query({
    text: `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'sluice gateway%'`,
  });
  await until('readiness fails', async () => (await readStatus()) === 'ledger down');
  assert.equal(await ask(), 503);
  assert.ok(gateway.logLines.some((line) => line.includes('the search_path of the database (nowhere)')));
  await setPath('RESET search_path');
  await until('the gateway is ready', async () => (await readStatus()) === 'ok');
  assert.equal(await ask(), 200);
  const rows = await database.query({ text: `SELECT 1 FROM request_log WHERE finish_reason = 'completed'` });
  assert.equal(rows.rowCount, 2);
});
