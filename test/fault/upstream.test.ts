import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { LogRow } from '#logs';
import { type Books, openBooks } from '../support/books.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type MockUpstream, findClosedPort, startMockUpstream } from '../support/mock-upstream.ts';
import {
  type Reply,
  answerWithoutUsage,
  cutAfter,
  endless,
  errorAfter,
  errorWithOk,
  fail,
  hang,
  hugeEvent,
  onlyComments,
  overloaded,
  rateLimited,
  redirect,
  resetBeforeHeaders,
  resetMidBody,
  wrongContentType,
} from '../support/upstream-replies.ts';
import { until } from '../support/until.ts';
import { SLOWNESS_MS, assertWithin } from '../support/within.ts';

/** How long the gateway waits for a provider that is silent; one that answers is not hurried. */
const SILENCE_MS = 1_000;
const PATIENCE_MS = 60_000;
/** A whole answer may take as long at least. */
const WHOLE_MS = 5 * SILENCE_MS;

let upstream: MockUpstream;
let gateway: Gateway;
let books: Books;
/** The same, which waits only briefly for a silent provider. */
let impatient: Gateway;
let booksOfImpatient: Books;

before(async () => {
  upstream = await startMockUpstream();
  const closed = await findClosedPort();
  gateway = await start(PATIENCE_MS, closed);
  books = await openBooks(gateway.dataDir);
  impatient = await start(SILENCE_MS, closed);
  booksOfImpatient = await openBooks(impatient.dataDir);
});

function start(silenceMs: number, closed: number): Promise<Gateway> {
  const model = (id: string, externalId = id) =>
    `      - { id: ${id}, externalId: ${externalId}, contextLength: 100000, maxOutput: 1000, price: { input: "3", output: "15" } }`;
  return startGateway({
    config: [
      `timeouts: { firstEventMs: ${silenceMs}, idleMs: ${silenceMs}, totalMs: ${10 * PATIENCE_MS} }`,
      'providers:',
      ...['chat', 'messages'].flatMap((format) => [
        `  - id: mock-${format}`,
        `    format: ${format}`,
        `    baseUrl: ${upstream.baseUrl}`,
        '    apiKey: mock-key',
        '    cancellation: all',
        '    models:',
        model(`${format}-model`),
      ]),
      '  - id: closed',
      '    format: chat',
      `    baseUrl: http://127.0.0.1:${closed}/v1`,
      '    apiKey: mock-key',
      '    models:',
      model('closed-model'),
      '',
    ].join('\n'),
  });
}

after(async () => {
  await books[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
  await booksOfImpatient[Symbol.asyncDispose]();
  await impatient[Symbol.asyncDispose]();
  await upstream.close();
});

interface Seen {
  status: number;
  text: string;
  headers: Headers;
  row: LogRow;
}

interface Ask {
  path: string;
  model: string;
  stream: boolean;
  /** Whether the provider goes silent. */
  isSilent?: boolean | undefined;
}

async function ask({ path, model, stream, isSilent = false }: Ask): Promise<Seen> {
  const [asked, itsBooks] = isSilent ? [impatient, booksOfImpatient] : [gateway, books];
  const body = { model, max_tokens: 64, stream, messages: [{ role: 'user', content: 'hello' }] };
  const response = await asked.post(path, body);
  const text = await response.text();
  const row = await itsBooks.getRow(response.headers.get('x-request-id') ?? '');
  return { status: response.status, text, headers: response.headers, row };
}

function script(reply: Reply): void {
  upstream.clear();
  upstream.script({ reply });
}

interface Fault {
  id: string;
  name: string;
  reply: Reply;
  /** Status on Chat and on Messages. */
  status: [number, number];
  isSilent?: boolean;
}

/** Faults before anything was relayed: a real HTTP status, cost 0. */
const EARLY: Fault[] = [
  { id: 'U2', name: 'accepts and never answers', reply: hang(), status: [504, 504], isSilent: true },
  { id: 'U4', name: 'resets before headers', reply: resetBeforeHeaders(), status: [502, 502] },
  { id: 'U9', name: 'answers a web page', reply: wrongContentType(), status: [502, 502] },
  { id: 'U10', name: 'answers an error with status 200', reply: errorWithOk(), status: [502, 502] },
  { id: 'U11', name: 'limits the rate', reply: rateLimited('7'), status: [429, 429] },
  { id: 'U12', name: 'is overloaded', reply: overloaded(529), status: [503, 529] },
  { id: 'U12', name: 'fails with 500', reply: fail(500, 'api_error'), status: [502, 502] },
  {
    id: 'U13',
    name: 'sends comments only',
    reply: onlyComments(50),
    status: [504, 504],
    isSilent: true,
  },
  { id: 'U20', name: 'redirects', reply: redirect('http://127.0.0.1:1/trap'), status: [502, 502] },
];

for (const path of ['/v1/chat/completions', '/v1/messages']) {
  for (const model of ['chat-model', 'messages-model']) {
    for (const stream of [false, true]) {
      describe(`${path} → ${model}, ${stream ? 'stream' : 'JSON'}`, () => {
        for (const { id, name, reply, status, isSilent } of EARLY) {
          if (id === 'U13' && !stream) continue;
          test(`[${id}] a provider that ${name} is a real status at cost 0`, async () => {
            script(reply);
            const startedMs = performance.now();
            const seen = await ask({ path, model, stream, isSilent });
            if (id === 'U2' && !stream) assert.ok(performance.now() - startedMs >= WHOLE_MS);
            assert.equal(seen.status, path === '/v1/messages' ? status[1] : status[0], seen.text);
            assert.equal(
              (JSON.parse(seen.text) as { error: { message: unknown } }).error.message !== '',
              true,
            );
            assert.equal(seen.row.finishReason, 'upstream_error');
            assert.equal(seen.row.customer, '0');
            if (id === 'U11') assert.equal(seen.headers.get('retry-after'), '7');
          });
        }

        test('[U26] a refusal is passed on with its status and message, at cost 0', async () => {
          script(
            fail(400, 'invalid_request_error', {
              message: 'prompt is too long: 300000 tokens > 200000 maximum',
            }),
          );
          const seen = await ask({ path, model, stream });
          assert.equal(seen.status, 400);
          assert.match(seen.text, /prompt is too long: 300000 tokens > 200000 maximum/);
          assert.equal(seen.row.finishReason, 'client_error');
          assert.equal(seen.row.customer, '0');
        });

        test('[U15] an answer without usage is counted and marked estimated', async () => {
          script(answerWithoutUsage({ text: 'some words of an answer', chunks: 4 }));
          const seen = await ask({ path, model, stream });
          assert.equal(seen.status, 200);
          assert.equal(seen.row.estimated, true);
          assert.ok(BigInt(seen.row.customer) > 0n);
        });
      });
    }
  }
}

for (const path of ['/v1/chat/completions', '/v1/messages']) {
  for (const model of ['chat-model', 'messages-model']) {
    describe(`${path} → ${model}, faults in mid-stream`, () => {
      const assertCut = (seen: Seen) => {
        assert.equal(seen.status, 200);
        assert.doesNotMatch(seen.text, /message_stop|\[DONE\]/);
        assert.match(seen.text, path === '/v1/messages' ? /event: error\n/ : /data: \{"error":/);
        assert.equal(seen.row.finishReason, 'upstream_error');
      };

      for (const count of [3, 4, 5, 6]) {
        test(`[U6] a stream cut after ${count} events is distinguished from a complete one and charged for what was delivered`, async () => {
          script(cutAfter(count, { text: 'a bb ccc dddd eeeee ffffff', chunks: 6 }));
          const seen = await ask({ path, model, stream: true });
          assertCut(seen);
          assert.equal(seen.row.estimated, true);
          if (count > 3) assert.ok(BigInt(seen.row.customer) > 0n);
        });
      }

      test('[D-59] an error event in mid-stream reaches the caller', async () => {
        script(errorAfter(4));
        assertCut(await ask({ path, model, stream: true }));
      });

      test('[D-65] a provider that goes silent mid-stream times out, even though the client gets pings', async () => {
        script(cutAfter(4, { text: 'a bb ccc dddd', chunks: 4, how: 'silence' }));
        const startedMs = performance.now();
        assertCut(await ask({ path, model, stream: true, isSilent: true }));
        assert.ok(performance.now() - startedMs < SILENCE_MS + SLOWNESS_MS);
      });

      test('[U14] an endless stream is ended within its hold', async () => {
        script(endless(0, 'more and more and more '.repeat(200)));
        assertCut(await ask({ path, model, stream: true }));
      });

      test('[U16] an event of many megabytes ends in an error, not in memory', async () => {
        script(hugeEvent(6 * 1024 * 1024));
        const seen = await ask({ path, model, stream: true });
        assert.ok(seen.status === 502 || /error/.test(seen.text));
      });

      test('[U5] a JSON body cut in the middle is never relayed', async () => {
        script(resetMidBody());
        const seen = await ask({ path, model, stream: false });
        assert.equal(seen.status, 502);
        assert.equal(seen.row.customer, '0');
      });

      test('[C2] a client that disconnects closes the provider’s connection within 100 ms and is charged for what was relayed', async () => {
        const body = {
          model,
          max_tokens: 1_000,
          stream: true,
          messages: [{ role: 'user', content: 'hello' }],
        };
        await assertWithin(100, async () => {
          script(endless(10, 'word '));
          const response = await gateway.post(path, body);
          const reader = response.body!.getReader();
          for (let read = 0; read < 10; read += 1) await reader.read();
          const leftAtMs = performance.now();
          await reader.cancel();
          const truth = upstream.truths[0]!;
          await until('the provider’s connection is closed', () => truth.aborted);
          const row = await books.getRow(response.headers.get('x-request-id') ?? '');
          assert.equal(row.finishReason, 'canceled');
          assert.ok(BigInt(row.customer) > 0n);
          return (truth.abortedAtMs ?? Infinity) - leftAtMs;
        });
      });
    });
  }
}

test('[U1] a provider that refuses connections is a 502 at once, at cost 0', async () => {
  const startedMs = performance.now();
  const response = await gateway.post('/v1/chat/completions', {
    model: 'closed-model',
    messages: [{ role: 'user', content: 'hello' }],
  });
  assert.equal(response.status, 502);
  assert.ok(performance.now() - startedMs < SLOWNESS_MS);
  await response.text();
});

test('every hold of every fault is resolved and the books agree', async () => {
  for (const each of [gateway, impatient]) {
    const { code, stdout } = await each.cli('ledger', 'check');
    assert.equal(code, 0, stdout);
  }
});
