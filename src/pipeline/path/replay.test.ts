import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResponseCache } from '#cache';
import type { KeyValue } from '#storage';
import { awaitEarlier } from '../../../test/support/await-earlier.ts';
import { openInProcess } from '../../../test/support/in-process.ts';
import { RawClient } from '../../../test/support/raw-client.ts';
import { until } from '../../../test/support/until.ts';
import { answer, hang, sequence } from '../../../test/support/upstream-replies.ts';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { release, replay } from './replay.ts';

const BODY = { model: 'chat-model', max_tokens: 16, messages: [{ role: 'user', content: 'the same' }] };

test('[C1] a client that disconnects while an identical request is under way has its row at once, and no provider is called', async () => {
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
  await awaitEarlier(gateway);
  follower.reset();
  await until('its row is there', async () => (await readEndings()).length >= 1);
  assert.deepEqual(await readEndings(), ['canceled']);
  assert.equal(gateway.upstream.truths.length, 1);
  leader.reset();
  await until('its row is there', async () => (await readEndings()).length >= 2);
  assert.deepEqual(await readEndings(), ['canceled', 'canceled']);
  assert.equal(gateway.upstream.truths.length, 1);
});

for (const path of ['/v1/chat/completions', '/v1/messages']) {
  for (const stream of [false, true]) {
    test(`[U24] ${path}, ${stream ? 'stream' : 'JSON'}: an answer of nothing is a success and is never replayed`, async () => {
      await using gateway = await openInProcess();
      const { apiKey } = await gateway.createAccount({ cacheTtlSeconds: 60 });
      const ask = async (): Promise<[string | null, string]> => {
        const headers = { authorization: `Bearer ${apiKey}` };
        const response = await gateway.post(path, { ...BODY, stream }, headers);
        const text = await response.text();
        assert.equal(response.status, 200, text);
        assert.equal((await gateway.getRow(response)).finishReason, 'completed');
        return [response.headers.get('x-gateway-cache'), text];
      };
      gateway.upstream.script({
        reply: sequence(answer({ text: '' }), answer({ text: 'words', chunks: 1 })),
      });
      assert.doesNotMatch((await ask())[1], /words/);
      assert.match((await ask())[1], /words/);
      assert.equal((await ask())[0], 'HIT');
    });
  }
}

test('[U24] a call without arguments is not nothing', async () => {
  await using gateway = await openInProcess();
  const { apiKey } = await gateway.createAccount({ cacheTtlSeconds: 60 });
  const tools = [{ type: 'function', function: { name: 'now', parameters: { type: 'object' } } }];
  const ask = async (): Promise<string | null> => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const response = await gateway.post('/v1/chat/completions', { ...BODY, tools }, headers);
    assert.match(await response.text(), /tool_calls/);
    return response.headers.get('x-gateway-cache');
  };
  const reply = answer({ text: '', toolCalls: [{ id: 'call_1', name: 'now', input: {} }] });
  gateway.upstream.script({ reply });
  await ask();
  assert.equal(await ask(), 'HIT');
});

test('a request that looked before an identical one stored its answer, and joined after, has that answer', async () => {
  const stored = new Map<string, string>();
  const looks: (() => void)[] = [];
  const store = {
    get: async (key: string) => {
      const found = stored.get(key);
      await new Promise<void>((resolve) => looks.push(resolve));
      return found;
    },
    set: async (key: string, text: string) => void stored.set(key, text),
  };
  const ports = { cache: new ResponseCache(store as unknown as KeyValue) } as Ports;
  const reply = { isOver: false, onGone: () => undefined, offGone: () => undefined };
  const trip = {
    get: () => ({ organizationId: 'o', projectId: 'p', cacheTtlSeconds: 60 }),
    arrival: { headers: {}, endpoint: '/v1/messages', reply },
    facts: {},
  } as unknown as Trip;
  const next = async (): Promise<void> => {
    await until('it looks', () => looks.length > 0);
    looks.shift()?.();
  };
  const ask = () => replay(ports, trip, Buffer.from('{}'));
  const first = ask();
  const second = ask();
  await next();
  await until('the second looks, and the first again', () => looks.length === 2);
  looks.pop()?.(); // the first, which leads
  const led = await first;
  assert.ok('slot' in led && led.slot.leads);
  const kept = {
    contentType: 'text/plain',
    body: 'x',
    finish: 'stop',
    providerId: 'p',
    externalId: 'm',
  } as const;
  await release(ports, led.slot, kept);
  await next(); // the second found nothing when it looked
  await next(); // but does now
  assert.deepEqual(await second, { answer: kept });
});
