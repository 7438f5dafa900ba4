import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { LogRow } from '#logs';
import { type Books, openBooks } from '../support/books.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { describeAttempts } from '../support/routed-gateway.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { TwoProviders } from '../support/two-providers.ts';
import { until } from '../support/until.ts';
import type { Reply } from '../support/upstream-replies.ts';
import { answer, fail, hang, overloaded, rateLimited, sequence } from '../support/upstream-replies.ts';

const CHAT = '/v1/chat/completions';
const MESSAGES = '/v1/messages';

let providers: TwoProviders;
/** Never calls two providers at once, however slow this machine is. */
let gateway: Gateway;
let books: Books;
let hedging: Gateway;
let hedgingBooks: Books;

before(async () => {
  providers = await TwoProviders.start();
  const { config } = providers;
  const env = { SLUICE_ADAPTIVE_ROUTING: 'on' };
  gateway = await startGateway({ config: `routing: { hedging: false }\n${config}`, env });
  books = await openBooks(gateway.dataDir);
  hedging = await startGateway({ config, env });
  hedgingBooks = await openBooks(hedging.dataDir);
});

after(async () => {
  await providers[Symbol.asyncDispose](); // first: a gateway that stops waits for answers whose clients have left
  await books[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
  await hedgingBooks[Symbol.asyncDispose]();
  await hedging[Symbol.asyncDispose]();
});

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
  return { status: response.status, text, headers: response.headers, row, attempts: describeAttempts(row) };
}

const reasonsOf = ({ row }: Seen) => row.attempts.map(({ reason }) => reason);

for (const path of [CHAT, MESSAGES]) {
  for (const stream of [false, true]) {
    test(`${path}, ${stream ? 'stream' : 'JSON'}: a silent provider is not waited for, its possible bill is the operator’s`, async () => {
      providers.script(hang());
      const model = providers.takeShared();
      const seen = await ask(model, { path, stream, at: hedging });
      assert.equal(seen.status, 200, seen.text);
      assert.match(seen.text, /second/);
      assert.deepEqual(seen.attempts, ['first outpaced', 'second answered']);
      assert.deepEqual(reasonsOf(seen), ['cheapest', 'rival']);
      assert.equal(seen.row.providerId, 'second');
      const [truth] = providers.second.truths;
      const cost =
        BigInt(truth?.inputTokens ?? 0) * 2_000_000n + BigInt(truth?.outputTokens ?? 0) * 2_000_000n;
      assert.equal(seen.row.customer, cost.toString(), 'the caller pays for one answer');
      assert.ok(BigInt(seen.row.provider) > cost);
      const next = await ask(model, { path, stream, at: hedging });
      // On a slow machine the second may itself be outwaited, and the first called as its rival.
      const [last, reason] = [next.attempts.at(-1), reasonsOf(next).at(-1)];
      assert.deepEqual([last, reason], ['second answered', 'health'], 'nobody else waits for it');
    });

    test(`${path}, ${stream ? 'stream' : 'JSON'}: a provider’s passing failure is repeated where there is no other`, async () => {
      const model = providers.takeAlone();
      const failure = fail(500, 'api_error');
      // Of this model alone: a call of the test before may come late.
      providers.first.script({
        match: { model },
        reply: sequence(failure, failure, answer({ text: 'at last', chunks: 2 })),
      });
      const seen = await ask(model, { path, stream });
      assert.equal(seen.status, 200, seen.text);
      assert.match(seen.text, /last/);
      assert.deepEqual(seen.attempts, ['first broken', 'first broken', 'first answered']);
      assert.deepEqual(reasonsOf(seen), ['only', 'retry', 'retry']);
      const [, once = 0, twice = 0] = seen.row.attempts.map(({ waitedMs }) => waitedMs);
      assert.ok(once > 0 && twice > once, `waits of ${once} and ${twice} ms`);
    });
  }
}

const OF_MAPPING: Record<string, Reply> = {
  'an unknown model': fail(404, 'invalid_request_error', { message: 'The model `m` does not exist' }),
  'a 404 in other words': fail(404, 'not_found_error', { message: 'Not found' }),
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
    providers.script(reply);
    const model = providers.takeShared();
    for (let request = 0; request < 2; request += 1) {
      const seen = await ask(model);
      assert.equal(seen.status, 200, seen.text);
      assert.deepEqual(seen.attempts, ['first request-refused', 'second answered']);
    }
  });
}

test('every call is reported with its reason: in the row, in a header, in the metadata and in the API', async () => {
  for (const [path, stream] of [
    [CHAT, false],
    [CHAT, true],
    [MESSAGES, false],
    [MESSAGES, true],
  ] as const) {
    providers.script(overloaded());
    const seen = await ask(providers.takeShared(), { path, stream });
    assert.equal(
      seen.headers.get('x-gateway-attempts'),
      'first;reason=cheapest;outcome=overloaded, second;reason=next',
    );
    assert.deepEqual(seen.row.attempts[0]?.price, { input: '1', output: '2' });
    assert.equal(seen.row.attempts[1]?.price, undefined);
    if (path === CHAT)
      assert.match(
        seen.text,
        /"route":\[{"provider":"first","model":"[^"]+","outcome":"overloaded","reason":"cheapest"},{"provider":"second","model":"[^"]+","outcome":"answered","reason":"next"}\]/,
      );
  }
});

test('an error reports what was tried, and the next request why it goes elsewhere', async () => {
  providers.script(overloaded(), overloaded());
  const model = providers.takeShared();
  const failed = await ask(model);
  assert.equal(failed.status, 503);
  assert.match(
    failed.headers.get('x-gateway-attempts') ?? '',
    /^first;reason=cheapest;outcome=overloaded, second;reason=next;outcome=overloaded/,
  );
  providers.script(fail(401, 'authentication_error'));
  const other = providers.takeShared();
  await ask(other);
  assert.deepEqual(reasonsOf(await ask(other)), ['health']);
});

test('a refusal that no provider lifts is the caller’s answer, with its status and message', async () => {
  const refusal = fail(413, 'invalid_request_error', { message: 'Request too large' });
  providers.script(refusal, refusal);
  const seen = await ask(providers.takeShared());
  assert.equal(seen.status, 413);
  assert.match(seen.text, /Request too large/);
  assert.equal(seen.row.customer, '0');
});

test('a provider that names a time is not called before it; a request that cannot wait gets the time to retry', async () => {
  providers.script(rateLimited('30'));
  const model = providers.takeAlone();
  const limited = await ask(model);
  assert.equal(limited.status, 429);
  assert.deepEqual(limited.attempts, ['first rate-limited']);
  const refused = await ask(model);
  assert.equal(refused.status, 503);
  assert.match(refused.text, /retry in \d+ s/);
  const seconds = Number(refused.headers.get('retry-after'));
  assert.ok(seconds > 20 && seconds <= 30, String(seconds));
  assert.deepEqual([refused.attempts, refused.row.customer, refused.row.provider], [[], '0', '0']);
  assert.equal(providers.first.truths.length, 1);
  const messages = await ask(model, { path: MESSAGES });
  assert.equal(messages.status, 529);
  assert.match(messages.text, /overloaded_error/);
});

test('a short time that a provider names is waited for', async () => {
  const startedMs = performance.now();
  let calls = 0;
  providers.script((exchange) => {
    calls += 1;
    return (calls === 1 ? rateLimited('1') : answer({ text: 'thank you', chunks: 2 }))(exchange);
  });
  const seen = await ask(providers.takeAlone());
  assert.equal(seen.status, 200, seen.text);
  assert.deepEqual(seen.attempts, ['first rate-limited', 'first answered']);
  assert.ok(performance.now() - startedMs >= 900);
});

test('while every provider is overloaded, a request makes at most one call', async () => {
  providers.script(overloaded(), overloaded());
  const model = providers.takeShared();
  const countCalls = (): number => providers.first.truths.length + providers.second.truths.length;
  const earlier = await Promise.all(Array.from({ length: 10 }, () => ask(model)));
  assert.ok(earlier.every(({ status }) => status === 503));
  const before = countCalls();
  const count = 12;
  const seen = await Promise.all(Array.from({ length: count }, () => ask(model)));
  assert.deepEqual(new Set(seen.map(({ status }) => status)), new Set([503]));
  assert.ok(countCalls() - before <= count, `${countCalls() - before} calls for ${count} requests`);
});

test('a request with several choices is never sent to two providers at once', async () => {
  providers.script(hang());
  const [several, single] = [providers.takeShared(), providers.takeShared()];
  const abort = new AbortController();
  const pending = fetch(`${hedging.url}${CHAT}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${hedging.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: several,
      n: 2,
      max_tokens: 64,
      messages: [{ role: 'user', content: 'hello' }],
    }),
    signal: abort.signal,
  }).catch(() => undefined);
  await providers.first.waitForRequests(2);
  const later = await ask(single, { at: hedging }); // by now the earlier one has been silent for longer
  assert.deepEqual(later.attempts, ['first outpaced', 'second answered']);
  assert.deepEqual(
    providers.second.truths.map(({ body }) => body['model']),
    [single],
  );
  abort.abort();
  await pending;
});

test('`route explain` shows the order of providers and how they do in the running gateway', async () => {
  const model = providers.takeShared();
  providers.script(rateLimited('300'));
  assert.equal((await ask(model)).status, 200);
  const explain = (name: string) => gateway.cli('route', 'explain', name, '--config', gateway.configFile);
  interface Explained {
    candidates: { provider: string; health: string; paused_seconds: number | null; input: string }[];
  }
  let explained: Explained = { candidates: [] };
  await until('the gateway has reported', async () => {
    const { stdout } = await explain(model);
    explained = JSON.parse(stdout) as Explained;
    return explained.candidates.some(({ health }) => health === 'closed');
  });
  assert.deepEqual(
    explained.candidates.map(({ provider, health, input }) => [provider, health, input]),
    [
      ['second', 'healthy', '2'],
      ['first', 'closed', '1'],
    ],
  );
  const unknown = await explain('nonesuch');
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /model \"nonesuch\" does not exist \(npx sluice models shows what there is\)/);
});

test('`route explain --request` explains the route of a request', async () => {
  const model = providers.takeShared();
  const folder = createTemporaryFolder('sluice-explain-');
  const file = `${folder.path}/body.json`;
  const explain = async (body: object) => {
    writeFileSync(file, JSON.stringify({ messages: [{ role: 'user', content: 'hello' }], ...body }));
    const options = ['--request', file, '--config', gateway.configFile];
    const { code, stdout, stderr } = await gateway.cli('route', 'explain', model, ...options);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as {
      first: string;
      strategy: string;
      candidates: { provider: string; score: number | null; reason: string | null }[];
    };
  };
  const plain = await explain({});
  assert.deepEqual([plain.strategy, plain.first], ['balanced', 'cheapest']);
  assert.deepEqual(
    plain.candidates.map(({ provider, score, reason }) => [provider, score, reason]),
    [
      ['first', 5, null],
      ['second', 8, null],
    ],
  );
  const ordered = await explain({ provider: { order: ['second'], allow_fallbacks: false } });
  assert.equal(ordered.first, 'order');
  assert.deepEqual(
    ordered.candidates.map(({ provider, reason }) => [provider, reason]),
    [
      ['second', null],
      ['first', 'the request allows no other'],
    ],
  );
  const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
  const unsupported = await explain({ messages: [{ role: 'user', content: [audio] }] });
  assert.equal(unsupported.first, 'only');
  assert.match(unsupported.candidates[1]?.reason ?? '', /audio/);
  const cheap = await explain({ provider: { max_price: { prompt: 1 }, sort: 'latency' } });
  assert.deepEqual([cheap.strategy, cheap.candidates[0]?.provider], ['latency', 'first']);
  assert.match(cheap.candidates[1]?.reason ?? '', /costs more than 1/);
  folder.remove();
});

test('the ledger is consistent afterwards', async () => {
  for (const at of [gateway, hedging]) {
    const { code, stdout } = await at.cli('ledger', 'check');
    assert.equal(code, 0, stdout);
  }
});
