import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openInProcess } from '../support/in-process.ts';
import { answer } from '../support/upstream-replies.ts';
import { until } from '../support/until.ts';

/** The columns that a later version might add, in every table. */
const LATER_COLUMNS = `
  SELECT format('ALTER TABLE %I ADD COLUMN later text', relname) AS change FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`;

/** As a later migration writes it: the rows of the log with the new column. */
const LATER_DECODE = `
  SELECT replace(pg_get_functiondef('request_log_decode'::regproc), 'FROM jsonb_to_recordset', ', NULL::text FROM jsonb_to_recordset')
    AS change`;

test('a gateway goes on while a later version of another one has added columns to its tables', async () => {
  await using gateway = await openInProcess({ env: { SLUICE_LEASES: 'on' } });
  gateway.upstream.script({ reply: answer({ text: 'one two three', chunks: 3 }, 5) });
  const ask = async (): Promise<string> => {
    const body = { model: 'chat-model', max_tokens: 20, messages: [{ role: 'user', content: 'hello' }] };
    const response = await gateway.post('/v1/chat/completions', body);
    assert.equal(response.status, 200, await response.text());
    return response.headers.get('x-request-id') ?? '';
  };
  const askAll = (count: number): Promise<string[]> => Promise.all(Array.from({ length: count }, ask));
  const isLeased = async (): Promise<boolean> =>
    (await gateway.database.query({ text: 'SELECT FROM hold WHERE lease' })).rows.length > 0;
  await until('a lease is taken', async () => (await askAll(4)).length > 0 && isLeased());

  const client = gateway.database;
  const { rows } = await client.query<{ change: string }>({ text: LATER_COLUMNS });
  const { rows: functions } = await client.query<{ change: string }>({ text: LATER_DECODE });
  await client.transaction(async (transaction) => {
    for (const { change } of [...rows, ...functions]) await transaction.query({ text: change });
  });

  const leased = await askAll(12);
  const other = await gateway.createAccount({ credits: 1_000_000_000_000n });
  const exact = await gateway.post(
    '/v1/chat/completions',
    { model: 'chat-model', messages: [{ role: 'user', content: 'x' }] },
    {
      authorization: `Bearer ${other.apiKey}`,
    },
  );
  assert.equal(exact.status, 200, await exact.text());
  for (const id of [...leased, exact.headers.get('x-request-id') ?? '']) {
    const row = await gateway.waitForRow(id);
    assert.equal(row.finishReason, 'completed');
  }
  const { code, json } = await gateway.cli('keys', 'create', '--label', 'later');
  assert.equal(code, 0, JSON.stringify(json));
  await until('the leases end', async () => !(await isLeased()));
  assert.deepEqual(await gateway.accounts.ledger.check(), []);
});
