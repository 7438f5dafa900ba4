import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { LogRow } from '#logs';
import { type Books, openBooks } from '../support/books.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import type { Truth } from '../support/upstream-exchange.ts';
import { type MockUpstream, findClosedPort, startMockUpstream } from '../support/mock-upstream.ts';
import {
  type Reply,
  answer,
  cutAfter,
  errorAfter,
  errorWithOk,
  fail,
  hang,
  overloaded,
  rateLimited,
  resetBeforeHeaders,
  resetMidBody,
  wrongContentType,
} from '../support/upstream-replies.ts';
import { describeProvider } from '../support/two-providers.ts';
import { until } from '../support/until.ts';
import { SLOWNESS_MS } from '../support/within.ts';

const CHAT = '/v1/chat/completions';
const MESSAGES = '/v1/messages';
/** Long enough for a busy machine; few tests wait for it. */
const FIRST_EVENT_MS = 2_000;
/** A failure ranks a mapping last for a while, so that each test has a model of its own. */
const MODELS = Array.from({ length: 60 }, (_, number) => `shared-${number}`);

/** Models whose cheaper provider cannot be reached. */
const UNREACHABLE = Array.from({ length: 4 }, (_, number) => `unreachable-model-${number}`);

/** Cheap, a Chat provider; tried first. */
let first: MockUpstream;
/** More expensive, a Messages provider. */
let second: MockUpstream;
let gateway: Gateway;
let books: Books;
let config: string;

before(async () => {
  first = await startMockUpstream();
  second = await startMockUpstream();
  const closed = `http://127.0.0.1:${await findClosedPort()}/v1`;
  const list = (ids: readonly string[], price: string) =>
    ids.map((id) => `      - { id: ${id}, contextLength: 100000, maxOutput: 1000${price} }`);
  config = [
    `timeouts: { firstEventMs: ${FIRST_EVENT_MS}, idleMs: 5000, totalMs: ${2 * FIRST_EVENT_MS} }`,
    'providers:',
    ...describeProvider('closed', 'chat', closed),
    ...list(UNREACHABLE, ', price: { input: "0.5", output: "1" }'),
    ...describeProvider('first', 'chat', first.baseUrl),
    ...list(MODELS, ', price: { input: "1", output: "2" }'),
    ...list(['unpriced-model'], ''),
    ...describeProvider('second', 'messages', second.baseUrl),
    ...list([...MODELS, ...UNREACHABLE], ', price: { input: "2", output: "10" }'),
    '',
  ].join('\n');
  gateway = await startGateway({ config });
  books = await openBooks(gateway.dataDir);
});

after(async () => {
  await books[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
  await first.close();
  await second.close();
});

const models = MODELS.values();
const unreachable = UNREACHABLE.values();

/** Says how the two answer for a model, by default one that no other test uses. */
function script(
  atFirst: Reply,
  atSecond: Reply = answer({ text: 'second to none', chunks: 1 }),
  model = models.next().value ?? assert.fail('not enough models'),
): string {
  first.script({ match: { model }, reply: atFirst });
  second.script({ match: { model }, reply: atSecond });
  return model;
}

const callsOf = (upstream: MockUpstream, model: string): Truth[] =>
  upstream.truths.filter(({ body }) => body['model'] === model);

interface Seen {
  model: string;
  status: number;
  text: string;
  headers: Headers;
  row: LogRow;
}

async function ask(model: string, { path = CHAT, stream = false } = {}): Promise<Seen> {
  const body = { model, max_tokens: 64, stream, messages: [{ role: 'user', content: 'hello' }] };
  const response = await gateway.post(path, body);
  const text = await response.text();
  const row = await books.getRow(response.headers.get('x-request-id') ?? '');
  return { model, status: response.status, text, headers: response.headers, row };
}

const listAttempts = ({ row }: Seen): string[] =>
  row.attempts.map(({ providerId, outcome, status }) => `${providerId} ${outcome} ${status ?? '–'}`);

function assertSecondAnswered(seen: Seen): void {
  const calls = callsOf(second, seen.model.replace(/^second\//, ''));
  const [truth] = calls;
  assert.equal(seen.status, 200, seen.text);
  assert.match(seen.text, /second/);
  assert.equal(calls.length, 1);
  assert.equal(seen.row.providerId, 'second');
  assert.equal(seen.row.finishReason, 'completed');
  const cost = BigInt(truth?.inputTokens ?? 0) * 2_000_000n + BigInt(truth?.outputTokens ?? 0) * 10_000_000n;
  assert.equal(seen.row.customer, cost.toString(), 'only the second is paid');
}

const FAULTS: Record<string, { reply: Reply; attempt: string }> = {
  'limits the rate': { reply: rateLimited('30'), attempt: 'first rate-limited 429' },
  'is overloaded': { reply: overloaded(529), attempt: 'first overloaded 529' },
  fails: { reply: fail(500, 'api_error'), attempt: 'first broken 500' },
  'refuses our credential': {
    reply: fail(401, 'authentication_error'),
    attempt: 'first credential-refused 401',
  },
  'begins with an error': { reply: errorAfter(0), attempt: 'first overloaded 200' },
  'sends an error with status 200': { reply: errorWithOk(), attempt: 'first broken 200' },
  'sends a web page': { reply: wrongContentType(), attempt: 'first garbled 200' },
  'resets the connection': { reply: resetBeforeHeaders(), attempt: 'first unreachable –' },
  hangs: { reply: hang(), attempt: 'first timed-out –' },
};

const HANGS = hang();

/** The slowest tests wait for a silent provider. */
const AT_ONCE = 8;

describe('two providers', { concurrency: AT_ONCE }, () => {
  for (const path of [CHAT, MESSAGES]) {
    for (const stream of [false, true]) {
      describe(`${path}, ${stream ? 'stream' : 'JSON'}`, () => {
        for (const [name, { reply, attempt }] of Object.entries(FAULTS)) {
          if (name === 'begins with an error' && !stream) continue;
          test(`where the first provider ${name}, the second answers and is paid, in one row`, async () => {
            const seen = await ask(script(reply), { path, stream });
            assertSecondAnswered(seen);
            assert.deepEqual(listAttempts(seen), [attempt, 'second answered 200']);
            // A provider that was asked and did not answer in time may bill what it did.
            assert.equal(BigInt(seen.row.provider) > BigInt(seen.row.customer), name === 'hangs');
            assert.equal(seen.row.estimated, false, 'what the caller pays is reported');
          });
        }

        test('an unreachable provider causes no noticeable delay', async () => {
          const model = unreachable.next().value ?? assert.fail('not enough models');
          script(answer(), undefined, model);
          const startedMs = performance.now();
          const seen = await ask(model, { path, stream });
          assert.ok(performance.now() - startedMs < SLOWNESS_MS);
          assertSecondAnswered(seen);
        });

        test('a refused request is not retried at another provider', async () => {
          const refusal = fail(400, 'invalid_request_error', { message: 'temperature: too warm' });
          const seen = await ask(script(refusal), { path, stream });
          assert.equal(seen.status, 400);
          assert.match(seen.text, /temperature: too warm/);
          assert.deepEqual(listAttempts(seen), ['first request-refused 400']);
          assert.equal(seen.row.customer, '0');
          assert.deepEqual(callsOf(second, seen.model), []);
        });
      });
    }

    test(`${path}: after the first event there is no other provider`, async () => {
      const cut = cutAfter(4, { text: 'a b c d e f', chunks: 6 });
      const seen = await ask(script(cut), { path, stream: true });
      assert.equal(seen.status, 200);
      assert.match(seen.text, /error/);
      assert.doesNotMatch(seen.text, /message_stop|\[DONE\]/);
      assert.deepEqual(callsOf(second, seen.model), []);
      assert.equal(seen.row.providerId, 'first');
      assert.equal(seen.row.finishReason, 'upstream_error');
    });

    test(`${path}: a JSON answer that breaks off was not begun: the second gives its own`, async () => {
      assertSecondAnswered(await ask(script(resetMidBody()), { path }));
    });
  }

  test('the metadata of a Chat answer has the attempts and the provider that answered', async () => {
    const { text } = await ask(script(overloaded()));
    const { metadata } = JSON.parse(text) as { metadata: Record<string, unknown> };
    assert.equal(metadata['used_provider'], 'second');
    assert.equal(metadata['attempts'], 2);
  });

  test('each provider is asked in its own format, with its own key', async () => {
    const { model } = await ask(script(overloaded()));
    const [[toFirst], [toSecond]] = [callsOf(first, model), callsOf(second, model)];
    assert.deepEqual([toFirst?.path, toFirst?.headers['authorization']], [CHAT, 'Bearer first-key']);
    assert.deepEqual([toSecond?.path, toSecond?.headers['x-api-key']], [MESSAGES, 'second-key']);
    assert.equal(toSecond?.body['max_tokens'], 64);
  });

  test('a provider that failed is ranked last for a while, and asked again when the other fails', async () => {
    const model = script(fail(500, 'api_error'));
    assertSecondAnswered(await ask(model));
    script(answer({ text: 'the first is well' }), undefined, model);
    assert.deepEqual(listAttempts(await ask(model)), ['second answered 200']);
    assert.equal(callsOf(first, model).length, 1, 'it is not called again');
    script(answer({ text: 'the first is well' }), overloaded(), model);
    const seen = await ask(model);
    assert.match(seen.text, /the first is well/);
    assert.deepEqual(listAttempts(seen), ['second overloaded 529', 'first answered 200']);
  });

  test('if all fail, the last failure is returned, at cost 0, with every attempt', async () => {
    const table: [Reply, Reply, chat: number, messages: number][] = [
      [fail(500, 'api_error'), overloaded(529), 503, 529],
      [overloaded(529), fail(500, 'api_error'), 502, 502],
      [overloaded(529), rateLimited('9'), 429, 429],
      [rateLimited('9'), HANGS, 504, 504],
      [HANGS, fail(500, 'api_error'), 502, 502],
    ];
    const cases = table.flatMap(([atFirst, atSecond, chat, messages]) => [
      { atFirst, atSecond, path: CHAT, status: chat },
      { atFirst, atSecond, path: MESSAGES, status: messages },
    ]);
    await Promise.all(
      cases.map(async ({ atFirst, atSecond, path, status }) => {
        const seen = await ask(script(atFirst, atSecond), { path });
        assert.equal(seen.status, status, seen.text);
        assert.equal(seen.row.attempts.length, 2);
        assert.equal(seen.row.customer, '0');
        assert.equal(seen.row.finishReason, 'upstream_error');
        const isBilled = [atFirst, atSecond].includes(HANGS);
        assert.deepEqual([BigInt(seen.row.provider) > 0n, seen.row.estimated], [isBilled, isBilled]);
        if (seen.status === 429) assert.equal(seen.headers.get('retry-after'), '9');
      }),
    );
  });

  test('a pinned provider is the only one asked, also when it fails', async () => {
    const model = script(fail(500, 'api_error'));
    assert.equal((await ask(`first/${model}`)).status, 502);
    assert.deepEqual(callsOf(second, model), []);
    const seen = await ask(`second/${model}`, { stream: true });
    assertSecondAnswered(seen);
    assert.equal(seen.row.requestedModel, `second/${model}`);
    assert.equal(callsOf(second, model).length, 1);
  });

  test('an unknown model is a 404 with the closest names', async () => {
    for (const name of ['sharde-1', 'second/sharde-1', 'unreachable-modle']) {
      const seen = await ask(name);
      assert.equal(seen.status, 404);
      assert.match(seen.text, /does not exist; did you mean .*(shared-1|unreachable-model)/);
      assert.equal(seen.row.finishReason, 'client_error');
    }
    assert.match((await ask('zzzzzzzzzzzzzzzz')).text, /GET \/v1\/models lists/);
  });

  test('a deactivated model is a 404 with its date and successor', async () => {
    const seen = await ask('claude-3-opus-20240229', { path: MESSAGES });
    assert.equal(seen.status, 404);
    assert.match(seen.text, /deactivated since 2026-01-05; use claude-opus-4-8 instead/);
    assert.match((await ask('claude-3-opus-20240229')).text, /"param":"model","code":"model_deactivated"/);
  });

  test('a model of a provider without a credential is a 404 that names the variable to set', async () => {
    const seen = await ask('openai/gpt-5.4');
    assert.equal(seen.status, 404);
    assert.match(seen.text, /OPENAI_API_KEY/);
  });

  test('a choice reaches the next mapping with its whole prompt, also after another choice has begun', async () => {
    const begun = Promise.withResolvers<undefined>();
    let count = 0;
    const model = script(async (exchange) => {
      count += 1;
      if (count === 1) return answer({ text: 'one two three four five six' }, 100)(exchange);
      await begun.promise;
      return overloaded()(exchange);
    });
    const response = await gateway.post(CHAT, {
      model,
      max_tokens: 64,
      stream: true,
      n: 2,
      messages: [{ role: 'user', content: 'remember me' }],
    });
    assert.equal(response.status, 200);
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (/"content":"[^"]/.test(text)) begun.resolve(undefined);
    }
    assert.match(text, /second to none/);
    assert.match(text, /\[DONE\]/);
    const [truth] = callsOf(second, model);
    const content = [{ type: 'text', text: 'remember me' }];
    assert.deepEqual(truth?.body['messages'], [{ role: 'user', content }]);
  });
});

test('a model without a price is refused until the operator allows it, then costs 0', async () => {
  script(answer({ text: 'free of charge' }), undefined, 'unpriced-model');
  const seen = await ask('unpriced-model');
  assert.equal(seen.status, 400);
  assert.match(seen.text, /no price.*"param":"model"/);
  assert.deepEqual(callsOf(first, 'unpriced-model'), []);
  writeFileSync(gateway.configFile, `allowUnpriced: true\n${config}`);
  let allowed = seen;
  await until('the edit is in force', async () => {
    allowed = await ask('unpriced-model');
    return allowed.status !== 400;
  });
  assert.match(allowed.text, /free of charge/);
  assert.equal(allowed.row.customer, '0');
});

test('the ledger is consistent afterwards', async () => {
  const { code, stdout } = await gateway.cli('ledger', 'check');
  assert.equal(code, 0, stdout);
});
