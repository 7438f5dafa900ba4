import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { JsonObject } from '#base';
import { createTool, prose, textBlock } from '../support/cached-session.ts';
import { MarkedCache, answerCached } from '../support/marked-cache.ts';
import { sendAdmin } from '../support/admin-calls.ts';
import { shareGateway } from '../support/share-gateway.ts';

const PRICE = 'price: { input: "5", output: "25", cacheRead: "0.5", cacheWrite5m: "6.25" }';
const MODEL = `models: [{ id: opus, contextLength: 200000, maxOutput: 1000, ${PRICE} }]`;
const LEAST = 4_096;

const cache = new MarkedCache();
const gateway = shareGateway({
  config: ({ baseUrl }) =>
    [
      'providers:',
      ...['near', 'far'].map(
        (id) => `  - { id: ${id}, format: messages, baseUrl: "${baseUrl}", apiKey: key-${id}, ${MODEL} }`,
      ),
      '',
    ].join('\n'),
});
beforeEach(() => {
  gateway.upstream.script({
    reply: answerCached(cache, ({ headers: { 'x-api-key': credential = '' } }) => ({
      model: 'opus',
      credential,
      nowMs: gateway.clock.now(),
      leastTokens: LEAST,
    })),
  });
});

const MARK = { type: 'ephemeral' };

class Client {
  readonly session: string;
  tools = ['Bash', 'Read'].map((name) => createTool(name));
  system = textBlock(prose('rules', 5_000), MARK);
  model = 'near/opus';
  readonly turns: JsonObject[] = [];

  constructor(session: string) {
    this.session = session;
  }

  async ask(stream = false) {
    const text = prose(`input ${this.turns.length}`, 300);
    const messages = [...this.turns, { role: 'user', content: [textBlock(text, MARK)] }];
    const { model, tools, system } = this;
    const body = { model, max_tokens: 100, stream, tools, system: [system], messages };
    const response = await gateway.post('/v1/messages', body, { 'x-gateway-session': this.session });
    assert.equal(response.status, 200, await response.clone().text());
    await response.text();
    this.turns.push({ role: 'user', content: [textBlock(text)] });
    this.turns.push({ role: 'assistant', content: [textBlock('Done.')] });
    return gateway.waitForRow(response);
  }
}

test('a request that misses the cache says why and what that cost, in its row, the session and the API', async () => {
  const client = new Client('explained');
  for (let turn = 0; turn < 3; turn += 1) assert.equal((await client.ask(turn === 1)).cacheMiss, undefined);
  client.tools.push(createTool('mcp__github'));
  const row = await client.ask();
  const { usage, cacheMiss } = row;
  assert.deepEqual(cacheMiss?.reasons, [{ code: 'tools_changed', tools: ['+mcp__github'], position: 3 }]);
  assert.equal(usage.inputCacheRead, 0);
  // Written again at 6.25 instead of read at 0.5 USD per million.
  assert.equal(BigInt(cacheMiss.cost), BigInt(cacheMiss.tokens) * 5_750_000n);
  gateway.clock.advance(11 * 60_000);
  assert.deepEqual((await client.ask()).cacheMiss?.reasons, [
    { code: 'idle', idleMinutes: 11, ttlMinutes: 5 },
  ]);
  client.model = 'far/opus';
  assert.deepEqual((await client.ask()).cacheMiss?.reasons, [{ code: 'other_provider' }]);

  const { json } = await gateway.cli('sessions', 'show', 'explained');
  const main = json?.['main'] as { turns: { misses: { text: string; request_id: string }[] }[] };
  assert.deepEqual(
    main.turns.map(({ misses }) => misses.map(({ text }) => text).join()),
    ['', '', '', 'tools changed: +mcp__github (position 3)', '11 minutes idle, ttl 5', 'other provider'],
  );
  assert.equal(json?.['cache_misses'], 3);
  const { secret } = await gateway.accounts.directory.createAdminKey({ label: 'test' });
  const call = { method: 'GET', path: `/logs/${row.requestId}` };
  const log = await (await sendAdmin(gateway, call, { authorization: `Bearer ${secret}` })).json();
  const { cache_miss: miss } = log as { cache_miss: JsonObject };
  assert.deepEqual(
    [miss['text'], miss['tokens']],
    ['tools changed: +mcp__github (position 3)', cacheMiss.tokens],
  );

  const sums = (await gateway.run('cache-misses')) as { data: JsonObject[]; total: JsonObject };
  assert.deepEqual(
    new Set(sums.data.map(({ reason }) => reason)),
    new Set(['idle', 'other_provider', 'tools_changed']),
  );
  assert.deepEqual(
    sums.data.map(({ requests }) => requests),
    [1, 1, 1],
  );
  assert.equal(sums.total['cost'], json['missed_cost']);
  const { projectId } = await gateway.createAccount();
  const none = await gateway.run('cache-misses', '--project', projectId);
  assert.deepEqual(none['data'], []);
  const same = { method: 'GET', path: '/cache_misses' };
  const answered = await sendAdmin(gateway, same, { authorization: `Bearer ${secret}` });
  assert.deepEqual(await answered.json(), sums);
  const grouped = await gateway.run('usage', '--by', 'project,cache-miss');
  assert.equal((grouped['data'] as JsonObject[]).length, 4, 'three reasons and the rest');
});

test('a row keeps less than 1 KB of hashes and none of the prompt, and nothing without a session', async () => {
  const client = new Client('small');
  client.tools = Array.from({ length: 90 }, (_, at) => createTool(`tool_${at}`));
  for (let turn = 0; turn < 120; turn += 1)
    client.turns.push({ role: turn % 2 === 0 ? 'user' : 'assistant', content: [textBlock(`turn ${turn}`)] });
  const row = await client.ask();
  const select = 'SELECT octet_length(prompt_chain) AS size FROM request_log WHERE request_id = $1';
  const { rows } = await gateway.database.query<{ size: number | null }>({
    text: select,
    values: [row.requestId],
  });
  assert.ok(Number(rows[0]?.size) > 500 && Number(rows[0]?.size) <= 1_024, String(rows[0]?.size));
  const other = await new Client('').ask();
  const none = await gateway.database.query<{ size: number | null }>({
    text: select,
    values: [other.requestId],
  });
  assert.equal(none.rows[0]?.size, null);
});
