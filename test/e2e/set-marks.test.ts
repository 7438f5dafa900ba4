import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { JsonObject } from '#base';
import type { LogRow } from '#logs';
import { prose, textBlock } from '../support/cached-session.ts';
import type { TestAccount } from '../support/in-process.ts';
import { shareGateway } from '../support/share-gateway.ts';
import { MarkedCache, answerCached } from '../support/marked-cache.ts';

const PRICE = 'price: { input: "5", output: "25", cacheRead: "0.5", cacheWrite5m: "6.25" }';
/** Of a token, in pico-USD: reading saves nine tenths, writing costs a quarter more. */
const READ_SAVES = 4_500_000n;
const WRITE_COSTS = 1_250_000n;
const MODELS = `models: [{ id: opus, contextLength: 200000, maxOutput: 1000, ${PRICE} }, { id: flat, contextLength: 200000, maxOutput: 1000, price: { input: "5", output: "25" } }]`;
const RULES = prose('rules', 6_000);

const cache = new MarkedCache();
const gateway = shareGateway({
  config: ({ baseUrl }) =>
    `providers:\n  - { id: near, format: messages, baseUrl: "${baseUrl}", apiKey: key, ${MODELS} }\n`,
});
let account: TestAccount;

beforeEach(async () => {
  account = await gateway.createAccount();
  cache.clear();
  gateway.upstream.script({
    reply: answerCached(cache, ({ body }) => ({
      model: body['model'] as string,
      credential: '',
      nowMs: gateway.clock.now(),
      leastTokens: 1_024,
    })),
  });
});

async function setMarks(word: 'on' | 'off'): Promise<void> {
  const project = await gateway.run('projects', 'cache-marks', account.projectId, word);
  assert.equal(project['cache_marks'], word === 'on');
}

/** Asks by the official SDK, which sets no marks. */
async function ask(
  body: Partial<Anthropic.MessageCreateParamsNonStreaming>,
  session?: string,
): Promise<LogRow> {
  const client = new Anthropic({ baseURL: gateway.url, apiKey: account.apiKey, maxRetries: 0 });
  const headers = session === undefined ? {} : { 'x-gateway-session': session };
  const asked = client.messages.create(
    { model: 'opus', max_tokens: 100, system: RULES, messages: [], ...body },
    { headers },
  );
  const { response } = await asked.withResponse();
  gateway.clock.advance(10_000);
  return gateway.waitForRow(response);
}

const say = (content: string): Anthropic.MessageParam => ({ role: 'user', content });
const DONE: Anthropic.MessageParam = { role: 'assistant', content: 'Done.' };

/** How many marks the last request had when it reached the provider. */
const countMarks = (): number => gateway.upstream.truths.at(-1)?.rawBody.split('"cache_control"').length ?? 0;

test('a conversation of a client without marks is read from the cache from its third request on, and the row says what that saved', async () => {
  await setMarks('on');
  const messages: Anthropic.MessageParam[] = [];
  const rows: LogRow[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    messages.push(say(prose(`input ${turn}`, 300)));
    rows.push(await ask({ messages }, 'saved'));
    messages.push(DONE);
  }
  const [first, second, third, fourth] = rows.map(({ usage }) => usage);
  assert.equal(first?.inputCacheWrite5m, 0, 'a prompt that may be the only one is not written');
  assert.ok(Number(second?.inputCacheWrite5m) > 6_000 && second?.inputCacheRead === 0);
  assert.equal(third?.inputCacheRead, second.inputCacheWrite5m);
  assert.equal(fourth?.inputCacheRead, third.inputCacheRead + third.inputCacheWrite5m);
  assert.equal(rows[0]?.cacheSaved, undefined);
  let all = 0n;
  for (const { usage, cacheSaved, customer } of rows.slice(1)) {
    const [read, written] = [BigInt(usage.inputCacheRead), BigInt(usage.inputCacheWrite5m)];
    assert.equal(BigInt(cacheSaved ?? 0), read * READ_SAVES - written * WRITE_COSTS);
    const fresh = BigInt(usage.inputUncached);
    assert.equal(
      BigInt(customer),
      fresh * 5_000_000n + read * 500_000n + written * 6_250_000n + 500_000_000n,
    );
    all += BigInt(cacheSaved ?? 0);
  }
  assert.ok(BigInt(rows[1]?.cacheSaved ?? 0) < 0n && all > 0n);

  const shown = (await gateway.run('sessions', 'show', 'saved'))['cache_saved'];
  const report = await gateway.run('cache-misses', '--project', account.projectId);
  const { organizationId, projectId } = account;
  assert.deepEqual(report['marks'], [
    {
      object: 'cache_marks',
      organization_id: organizationId,
      project_id: projectId,
      requests: 3,
      saved: shown,
    },
  ]);
  assert.equal(report['saved'], shown);
  assert.equal(BigInt(Math.round(Number(shown) * 1e12)), all);
});

test('a client of another format gets the same marks', async () => {
  await setMarks('on');
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: account.apiKey, maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'system', content: RULES }];
  const cached: (number | undefined)[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    messages.push({ role: 'user', content: `Question ${turn}` });
    const { usage } = await client.chat.completions.create({ model: 'opus', messages });
    cached.push(usage?.prompt_tokens_details?.cached_tokens);
    messages.push({ role: 'assistant', content: 'Done.' });
  }
  assert.deepEqual([cached[0], cached[1]], [0, 0]);
  assert.ok(Number(cached[2]) > 5_000);
});

test('requests that share only instructions are marked behind these, from the second on', async () => {
  await setMarks('on');
  const rows = [];
  for (let at = 0; at < 3; at += 1) rows.push(await ask({ messages: [say(prose(`topic ${at}`, 2_000))] }));
  const [, second, third] = rows.map(({ usage }) => usage);
  assert.equal(countMarks(), 2, 'one mark');
  assert.ok(Number(second?.inputCacheWrite5m) < 7_000, 'the question is not written');
  assert.equal(third?.inputCacheRead, second?.inputCacheWrite5m);
  assert.equal(third?.inputCacheWrite5m, 0);
});

test('the bytes of a request stay the same where its caller set a mark, wherever it is', async () => {
  const mark = { type: 'ephemeral' as const };
  const bodies: JsonObject[] = [
    { system: [textBlock(RULES, mark)], messages: [{ role: 'user', content: 'Hello.' }] },
    { system: RULES, messages: [{ role: 'user', content: [textBlock('Hello.', mark)] }] },
    { system: RULES, cache_control: mark, messages: [{ role: 'user', content: 'Hello.' }] },
    {
      system: RULES,
      tools: [{ name: 'read', input_schema: { type: 'object' }, cache_control: mark }],
      messages: [{ role: 'user', content: 'Hello.' }],
    },
    {
      system: RULES,
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_1', content: [textBlock('It says so.', mark)] },
          ],
        },
      ],
    },
  ];
  const send = async (body: JsonObject): Promise<string | undefined> => {
    const headers = { authorization: `Bearer ${account.apiKey}` };
    const response = await gateway.post('/v1/messages', { model: 'opus', max_tokens: 100, ...body }, headers);
    assert.equal(response.status, 200, await response.text());
    return gateway.upstream.truths.at(-1)?.rawBody;
  };
  const plain: (string | undefined)[] = [];
  for (const body of bodies) plain.push(await send(body));
  assert.equal(new Set(plain).size, plain.length);
  const before = new Set(plain);
  await setMarks('on');
  for (let round = 0; round < 2; round += 1)
    for (const body of bodies) assert.ok(before.has(await send(body)), JSON.stringify(body).slice(0, 80));
});

test('nothing is marked by default, after five minutes, for another project or model, below the minimum, or where reading costs the same', async () => {
  const question = { messages: [say('Hello.')] };
  const isMarked = async (more: Parameters<typeof ask>[0] = {}): Promise<boolean> => {
    const row = await ask({ ...question, ...more });
    assert.equal(row.cacheSaved !== undefined, countMarks() > 1);
    return countMarks() > 1;
  };
  assert.deepEqual([await isMarked(), await isMarked()], [false, false]);
  await setMarks('on');
  assert.deepEqual([await isMarked(), await isMarked()], [false, true]);
  gateway.clock.advance(5 * 60_000);
  assert.equal(await isMarked(), false);
  assert.deepEqual([await isMarked({ model: 'near/opus' }), await isMarked()], [false, true]);
  const short = { system: 'Be brief.' };
  assert.deepEqual([await isMarked(short), await isMarked(short)], [false, false]);
  const flat = { model: 'flat' };
  assert.deepEqual([await isMarked(flat), await isMarked(flat)], [false, false]);
  account = await gateway.createAccount();
  await setMarks('on');
  assert.equal(await isMarked(), false);
});
