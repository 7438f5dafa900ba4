import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { LogRow } from '#logs';
import { type Books, openBooks } from '../support/books.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { type Reply, answer, fail, hang, overloaded, rateLimited } from '../support/upstream-replies.ts';

const CHAT = '/v1/chat/completions';
const MESSAGES = '/v1/messages';
/** Health belongs to a model, so that each test has one of its own. */
const MODELS = Array.from({ length: 40 }, (_, number) => `shared-${number}`);
const ALONE = Array.from({ length: 10 }, (_, number) => `alone-${number}`);

/** Cheap; tried first. */
let first: MockUpstream;
let second: MockUpstream;
/** Never calls two providers at once, however slow this machine is. */
let gateway: Gateway;
let books: Books;
let hedging: Gateway;
let hedgingBooks: Books;

before(async () => {
  first = await startMockUpstream();
  second = await startMockUpstream();
  const list = (ids: readonly string[], input: string) =>
    ids.map(
      (id) =>
        `      - { id: ${id}, contextLength: 100000, maxOutput: 1000, price: { input: "${input}", output: "2" } }`,
    );
  const config = [
    'providers:',
    ...describeProvider('first', 'chat', first.baseUrl),
    ...list([...MODELS, ...ALONE], '1'),
    ...describeProvider('second', 'messages', second.baseUrl),
    ...list(MODELS, '2'),
    '',
  ].join('\n');
  const env = { SLUICE_ADAPTIVE_ROUTING: 'on' };
  gateway = await startGateway({ config: `routing: { hedging: false }\n${config}`, env });
  books = await openBooks(gateway.dataDir);
  hedging = await startGateway({ config, env });
  hedgingBooks = await openBooks(hedging.dataDir);
});

function describeProvider(id: string, format: string, baseUrl: string): string[] {
  return [
    `  - id: ${id}`,
    `    format: ${format}`,
    `    baseUrl: ${baseUrl}`,
    `    apiKey: ${id}-key`,
    '    models:',
  ];
}

after(async () => {
  await books[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
  await hedgingBooks[Symbol.asyncDispose]();
  await hedging[Symbol.asyncDispose]();
  await first.close();
  await second.close();
});

const taken = new Map<readonly string[], number>();

function take(models: readonly string[]): string {
  const serial = taken.get(models) ?? 0;
  taken.set(models, serial + 1);
  return models[serial] ?? assert.fail('not enough models');
}

function script(atFirst: Reply, atSecond: Reply = answer({ text: 'second to none', chunks: 1 })): void {
  first.clear();
  second.clear();
  first.script({ reply: atFirst });
  second.script({ reply: atSecond });
}

interface Seen {
  status: number;
  text: string;
  headers: Headers;
  row: LogRow;
  attempts: string[];
}

async function ask(model: string, { path = CHAT, stream = false, at = gateway } = {}): Promise<Seen> {
  const body = { model, max_tokens: 64, stream, messages: [{ role: 'user', content: 'hello' }] };
  const response = await at.post(path, body);
  const text = await response.text();
  const row = await (at === gateway ? books : hedgingBooks).getRow(
    response.headers.get('x-request-id') ?? '',
  );
  const attempts = row.attempts.map(({ providerId, outcome }) => `${providerId} ${outcome}`);
  return { status: response.status, text, headers: response.headers, row, attempts };
}

for (const path of [CHAT, MESSAGES]) {
  for (const stream of [false, true]) {
    test(`${path}, ${stream ? 'stream' : 'JSON'}: a silent provider is not waited for, its possible bill is the operator’s`, async () => {
      script(hang());
      const model = take(MODELS);
      const seen = await ask(model, { path, stream, at: hedging });
      assert.equal(seen.status, 200, seen.text);
      assert.match(seen.text, /second/);
      assert.deepEqual(seen.attempts, ['first outpaced', 'second answered']);
      assert.equal(seen.row.providerId, 'second');
      const [truth] = second.truths;
      const cost =
        BigInt(truth?.inputTokens ?? 0) * 2_000_000n + BigInt(truth?.outputTokens ?? 0) * 2_000_000n;
      assert.equal(seen.row.customer, cost.toString(), 'the caller pays for one answer');
      assert.ok(BigInt(seen.row.provider) > cost);
      const next = await ask(model, { path, stream, at: hedging });
      assert.deepEqual(next.attempts, ['second answered'], 'nobody else waits for it');
    });

    test(`${path}, ${stream ? 'stream' : 'JSON'}: a provider’s passing failure is repeated where there is no other`, async () => {
      let calls = 0;
      script((exchange) => {
        calls += 1;
        return (calls < 3 ? fail(500, 'api_error') : answer({ text: 'at last', chunks: 2 }))(exchange);
      });
      const seen = await ask(take(ALONE), { path, stream });
      assert.equal(seen.status, 200, seen.text);
      assert.match(seen.text, /last/);
      assert.deepEqual(seen.attempts, ['first broken', 'first broken', 'first answered']);
    });
  }
}

const OF_MAPPING: Record<string, Reply> = {
  'an unknown model': fail(404, 'invalid_request_error', { message: 'The model `m` does not exist' }),
  'too large a request': fail(413, 'invalid_request_error', { message: 'Request too large' }),
  'too long a prompt': fail(400, 'invalid_request_error', {
    message:
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  }),
  'a conflict': fail(409, 'conflict', { message: 'The resource is busy' }),
  'an unprocessable entity': fail(422, 'invalid_request_error', { message: 'cannot process' }),
  'an unsupported parameter': fail(400, 'invalid_request_error', {
    message: "Unsupported parameter: 'temperature' is not supported with this model.",
  }),
};

for (const [name, reply] of Object.entries(OF_MAPPING)) {
  test(`where one provider answers with ${name}, another is asked, and the first is asked again by the next request`, async () => {
    script(reply);
    const model = take(MODELS);
    for (let request = 0; request < 2; request += 1) {
      const seen = await ask(model);
      assert.equal(seen.status, 200, seen.text);
      assert.deepEqual(seen.attempts, ['first request-refused', 'second answered']);
    }
  });
}

test('a refusal that no provider lifts is the caller’s answer, with its status and message', async () => {
  const refusal = fail(413, 'invalid_request_error', { message: 'Request too large' });
  script(refusal, refusal);
  const seen = await ask(take(MODELS));
  assert.equal(seen.status, 413);
  assert.match(seen.text, /Request too large/);
  assert.equal(seen.row.customer, '0');
});

test('a provider that names a time is not called before it; a request that cannot wait is told when to retry', async () => {
  script(rateLimited('30'));
  const model = take(ALONE);
  const limited = await ask(model);
  assert.equal(limited.status, 429);
  assert.deepEqual(limited.attempts, ['first rate-limited']);
  const refused = await ask(model);
  assert.equal(refused.status, 503);
  assert.match(refused.text, /retry in \d+ s/);
  const seconds = Number(refused.headers.get('retry-after'));
  assert.ok(seconds > 20 && seconds <= 30, String(seconds));
  assert.deepEqual([refused.attempts, refused.row.customer, refused.row.provider], [[], '0', '0']);
  assert.equal(first.truths.length, 1);
  const messages = await ask(model, { path: MESSAGES });
  assert.equal(messages.status, 529);
  assert.match(messages.text, /overloaded_error/);
});

test('a short time that a provider names is waited for', async () => {
  const startedMs = performance.now();
  let calls = 0;
  script((exchange) => {
    calls += 1;
    return (calls === 1 ? rateLimited('1') : answer({ text: 'thank you', chunks: 2 }))(exchange);
  });
  const seen = await ask(take(ALONE));
  assert.equal(seen.status, 200, seen.text);
  assert.deepEqual(seen.attempts, ['first rate-limited', 'first answered']);
  assert.ok(performance.now() - startedMs >= 900);
});

test('while every provider is overloaded, a request makes at most one call', async () => {
  script(overloaded(), overloaded());
  const model = take(MODELS);
  const countCalls = (): number => first.truths.length + second.truths.length;
  for (let request = 0; request < 10; request += 1) assert.equal((await ask(model)).status, 503);
  const before = countCalls();
  const count = 12;
  const seen = await Promise.all(Array.from({ length: count }, () => ask(model)));
  assert.deepEqual(new Set(seen.map(({ status }) => status)), new Set([503]));
  assert.ok(countCalls() - before <= count, `${countCalls() - before} calls for ${count} requests`);
});

/** The providers called for a request with these members. */
async function callWith(model: string, members: Record<string, unknown>, path = CHAT): Promise<string> {
  const body = { model, max_tokens: 64, messages: [{ role: 'user', content: 'hello' }], ...members };
  const response = await gateway.post(path, body);
  const text = await response.text();
  if (response.status !== 200) return `${response.status} ${text}`;
  const row = await books.getRow(response.headers.get('x-request-id') ?? '');
  return row.attempts.map(({ providerId }) => providerId).join(' ');
}

test('a request names the order of providers, leaves some out, or bounds their price', async () => {
  script(answer({ text: 'first', chunks: 1 }));
  const model = take(MODELS);
  for (const path of [CHAT, MESSAGES]) {
    assert.equal(await callWith(model, {}, path), 'first');
    assert.equal(await callWith(model, { provider: { order: ['second'] } }, path), 'second');
    assert.equal(await callWith(model, { provider: { only: ['second'] } }, path), 'second');
    assert.equal(await callWith(model, { provider: { ignore: ['First'] } }, path), 'second');
    assert.equal(await callWith(model, { provider: { max_price: { prompt: 1.5 } } }, path), 'first');
    assert.match(
      await callWith(model, { provider: { max_price: { prompt: 0.5 } } }, path),
      /^403 .*costs more than 0.5/,
    );
  }
  assert.equal('provider' in (first.truths[0]?.body ?? {}), false, 'providers never see it');
});

test('without fallbacks no other provider is asked', async () => {
  script(fail(401, 'authentication_error'));
  const model = take(MODELS);
  assert.match(await callWith(model, { provider: { allow_fallbacks: false } }), /^502/);
  assert.equal(second.truths.length, 0);
});

test('other models are tried in their order after the requested one, at their own price', async () => {
  script(fail(404, 'invalid_request_error', { message: 'no such model' }));
  const alone = take(ALONE);
  const model = take(MODELS);
  assert.equal(await callWith(alone, { models: [model] }), 'first first second');
  assert.deepEqual(
    first.truths.map(({ body }) => body['model']),
    [alone, model],
  );
});

test('a preference that cannot be met or read is an error that names it', async () => {
  const model = take(MODELS);
  assert.match(
    await callWith(model, { provider: { only: ['nobody'] } }),
    /^403 .*request itself excludes every provider/,
  );
  assert.match(
    await callWith(model, { provider: { sort: 'beauty' } }),
    /^400 .*provider.sort.*price, latency, throughput/,
  );
  assert.match(
    await callWith(model, { provider: { quantizations: ['fp8'] } }),
    /^400 .*"param":"provider.quantizations"/,
  );
  assert.match(await callWith(model, { provider: { zdr: true } }), /^403 .*known to retain no data/);
  assert.match(await callWith(model, { models: ['nonesuch'] }), /^404 .*"param":"models.0"/);
});

test('a header takes the place of the member, for formats and clients without room for it', async () => {
  script(answer({ text: 'first', chunks: 1 }));
  const response = await fetch(`${gateway.url}/v1beta/models/${take(MODELS)}:generateContent`, {
    method: 'POST',
    headers: {
      'x-goog-api-key': gateway.apiKey,
      'content-type': 'application/json',
      'x-gateway-provider': '{"order":["second"]}',
    },
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }),
  });
  assert.equal(response.status, 200, await response.text());
  assert.equal(second.truths.length, 1);
});

test('a request with several choices is never sent to two providers at once', async () => {
  script(hang());
  const model = take(MODELS);
  const abort = new AbortController();
  const pending = fetch(`${hedging.url}${CHAT}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${hedging.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, n: 2, max_tokens: 64, messages: [{ role: 'user', content: 'hello' }] }),
    signal: abort.signal,
  }).catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  assert.equal(second.truths.length, 0);
  abort.abort();
  await pending;
});

test('the ledger is consistent afterwards', async () => {
  for (const at of [gateway, hedging]) {
    const { code, stdout } = await at.cli('ledger', 'check');
    assert.equal(code, 0, stdout);
  }
});
