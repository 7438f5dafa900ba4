import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openInProcess } from '../support/in-process.ts';
import { until } from '../support/until.ts';
import { answer } from '../support/upstream-replies.ts';

const ASK = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };
const CREDITS = 10n ** 13n;
/** Within the first message, at its end, and within those behind it. */
const CUTS = [0, 1, 5, 20, 60, 200, 1_000];

test('connections cut within statements and within answers leave each answer charged once', async () => {
  await using gateway = await openInProcess();
  const { accounts, line, database, upstream } = gateway;
  const { apiKey } = await gateway.createAccount({ credits: CREDITS });
  const headers = { authorization: `Bearer ${apiKey}` };
  let completed = 0;
  for (const what of ['statement', 'answer'] as const)
    for (const bytes of CUTS) {
      upstream.script({ reply: answer({ text: 'hello', chunks: 1 }) });
      line.cutWithin(what, bytes);
      const response = await gateway.post('/v1/chat/completions', ASK, headers);
      await response.arrayBuffer();
      if (response.status === 200) completed += 1;
      else assert.equal(response.status, 503);
    }
  assert.ok(completed > 0);
  const count = async (text: string): Promise<bigint> =>
    (await database.query<{ count: bigint }>({ text: `SELECT count(*) AS count FROM ${text}` })).rows[0]
      ?.count ?? 0n;
  const isWritten = async () =>
    (await count(`request_log WHERE finish_reason = 'completed'`)) === BigInt(completed);
  await until('each answer has its row', isWritten);
  await until('nothing stays held', async () => (await count('hold WHERE NOT lease')) === 0n);
  assert.equal(await count(`ledger_entry WHERE kind = 'usage'`), BigInt(completed));
  assert.deepEqual(await accounts.ledger.check(), []);
});

test('a change whose answer is lost with its connection is made once, however often it is sent', async () => {
  await using gateway = await openInProcess();
  const { accounts, account, line, database } = gateway;
  const { secret } = await accounts.directory.createAdminKey({ label: 'test' });
  const send = async (amount: string, key: string): Promise<number> => {
    const headers = { authorization: `Bearer ${secret}`, 'idempotency-key': key };
    const path = `/admin/v1/organizations/${account.organizationId}/credits`;
    const response = await gateway.post(path, { amount }, headers);
    await response.arrayBuffer();
    return response.status;
  };
  for (const [index, bytes] of CUTS.entries()) {
    line.cutWithin('answer', bytes);
    await until('it is answered', async () => (await send('1', `key-${index}`)) === 200);
    assert.equal(await send('1', `key-${index}`), 200);
  }
  const { rows } = await database.query<{ lim: string }>({
    text: `SELECT lim FROM meter WHERE kind = 'credits' AND subject_id = $1`,
    values: [account.organizationId],
  });
  assert.equal(rows[0]?.lim, `${CUTS.length}000000000000`);
});
