import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openInProcess } from '../../test/support/in-process.ts';
import { RawClient } from '../../test/support/raw-client.ts';
import { hang } from '../../test/support/upstream-replies.ts';
import { until } from '../../test/support/until.ts';

const BODY = { model: 'chat-model', max_tokens: 16, messages: [{ role: 'user', content: 'the same' }] };

test('[C1] a client that leaves while an identical request is under way has its row at once, and asks nobody', async () => {
  await using gateway = await openInProcess();
  const { apiKey, keyId } = await gateway.createAccount({ cacheTtlSeconds: 60 });
  const ask = async (): Promise<RawClient> => {
    const client = await RawClient.open(gateway.url);
    client.post('/v1/chat/completions', BODY, { authorization: `Bearer ${apiKey}` });
    return client;
  };
  const readEndings = async (): Promise<string[]> => {
    const text = 'SELECT finish_reason AS ending FROM request_log WHERE key_id = $1';
    const { rows } = await gateway.database.query<{ ending: string }>({ text, values: [keyId] });
    return rows.map(({ ending }) => ending);
  };
  gateway.upstream.script({ reply: hang() });
  using leader = await ask();
  await gateway.upstream.waitForRequests(1);
  const follower = await ask();
  await sleep(100);
  follower.reset();
  await until('its row is there', async () => (await readEndings()).length >= 1);
  assert.deepEqual(await readEndings(), ['canceled']);
  assert.equal(gateway.upstream.truths.length, 1);
  leader.reset();
  await until('its row is there', async () => (await readEndings()).length >= 2);
  assert.deepEqual(await readEndings(), ['canceled', 'canceled']);
  assert.equal(gateway.upstream.truths.length, 1);
});
