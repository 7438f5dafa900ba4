import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { LogRow } from '#logs';
import { type Books, openBooks } from '../support/books.ts';
import { type Gateway, createProviderConfig, startGateway } from '../support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { type Reply, answerWithoutUsage, cutAfter, endless } from '../support/upstream-replies.ts';
import { until } from '../support/until.ts';
import { assertWithin } from '../support/within.ts';

let upstream: MockUpstream;
let gateway: Gateway;
let books: Books;

before(async () => {
  upstream = await startMockUpstream();
  gateway = await startGateway({
    config: createProviderConfig(
      upstream.baseUrl,
      { id: 'mock-chat', format: 'chat', models: ['chat-model'] },
      { id: 'mock-messages', format: 'messages', models: ['messages-model'] },
    ),
  });
  books = await openBooks(gateway.dataDir);
});

after(async () => {
  await books[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
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
}

async function ask({ path, model, stream }: Ask): Promise<Seen> {
  const body = { model, max_tokens: 64, stream, messages: [{ role: 'user', content: 'hello' }] };
  const response = await gateway.post(path, body);
  const text = await response.text();
  const row = await books.getRow(response.headers.get('x-request-id') ?? '');
  return { status: response.status, text, headers: response.headers, row };
}

function script(reply: Reply): void {
  upstream.clear();
  upstream.script({ reply });
}

for (const path of ['/v1/chat/completions', '/v1/messages']) {
  for (const model of ['chat-model', 'messages-model']) {
    for (const stream of [false, true]) {
      describe(`${path} → ${model}, ${stream ? 'stream' : 'JSON'}`, () => {
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

test('every hold of every fault is resolved and the books agree', async () => {
  const { code, stdout } = await gateway.cli('ledger', 'check');
  assert.equal(code, 0, stdout);
});
