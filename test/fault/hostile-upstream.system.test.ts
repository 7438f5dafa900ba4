import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Books, openBooks } from '../support/books.ts';
import { type Gateway, createProviderConfig, startGateway } from '../support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { until } from '../support/until.ts';
import { answer, cutAfter, fail, raw } from '../support/upstream-replies.ts';

const SECRET = 'canary-0123456789abcdef';

let upstream: MockUpstream;
let gateway: Gateway;
let books: Books;

before(async () => {
  upstream = await startMockUpstream();
  const providers = [
    { id: 'talker', format: 'chat' as const, models: ['chat-model'] },
    { id: 'writer', format: 'messages' as const, models: ['messages-model'] },
  ] as const;
  const config = createProviderConfig(upstream.baseUrl, ...providers).replaceAll('mock-key', SECRET);
  gateway = await startGateway({ config });
  books = await openBooks(gateway.dataDir);
});

after(async () => {
  await books[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
  await upstream.close();
});

const ask = (model: string, rest: object = {}) =>
  gateway.post('/v1/messages', {
    model,
    max_tokens: 16,
    messages: [{ role: 'user', content: 'hello' }],
    ...rest,
  });

function respond(body: string, type: string) {
  return raw(
    `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

test('an answer nested 20,000 deep is a 502, and the gateway keeps running', async () => {
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const message = `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"odd","value":${deep}}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`;
  upstream.clear();
  upstream.script({ reply: respond(message, 'application/json') });
  assert.equal((await ask('messages-model')).status, 502);
  const frame = `event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"odd","value":${deep}}}\n\n`;
  const start = `event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}\n\n`;
  upstream.clear();
  upstream.script({ reply: respond(start + frame, 'text/event-stream') });
  const stream = await ask('messages-model', { stream: true });
  assert.match(await stream.text(), /error/);
  assert.equal((await gateway.request('/livez')).status, 200);
});

for (const model of ['chat-model', 'messages-model']) {
  for (const status of [400, 401, 500]) {
    test(`a key quoted in a ${status} of ${model} reaches neither caller, row nor log`, async () => {
      upstream.clear();
      upstream.script({ reply: fail(status, 'some_error', { message: `bad key ${SECRET} used` }) });
      const response = await ask(model);
      assert.doesNotMatch(await response.text(), new RegExp(SECRET));
      const row = await books.getRow(response.headers.get('x-request-id') ?? '');
      assert.doesNotMatch(JSON.stringify(row), new RegExp(SECRET));
      assert.doesNotMatch(gateway.log, new RegExp(SECRET));
    });
  }
}

test('a document the provider fetches itself is held at the whole context, so that its tokens are paid', async () => {
  upstream.clear();
  upstream.script({ reply: answer({ text: 'read', usage: { input_tokens: 150_000, output_tokens: 2 } }) });
  const source = { type: 'url', url: 'https://example.com/large.pdf' };
  const response = await ask('messages-model', {
    messages: [{ role: 'user', content: [{ type: 'document', source }] }],
  });
  assert.equal(response.status, 200);
  const row = await books.getRow(response.headers.get('x-request-id') ?? '');
  assert.equal(row.customer, row.provider);
  assert.equal(BigInt(row.customer), 150_000n * 3_000_000n + 2n * 15_000_000n);
});

test('what a provider began and did not deliver is the operator’s cost, not the caller’s', async () => {
  upstream.clear();
  upstream.script({ reply: cutAfter(1, { text: 'never seen' }) });
  const response = await ask('messages-model', { stream: true });
  await response.text();
  const row = await books.getRow(response.headers.get('x-request-id') ?? '');
  assert.equal(row.customer, '0');
  assert.ok(BigInt(row.provider) > 0n);
});

test('a megabyte of spaces or of one long word does not block other requests', async () => {
  const blanks = { model: 'local/echo', messages: [{ role: 'user', content: `x${' '.repeat(1_000_000)}` }] };
  assert.equal((await gateway.post('/v1/chat/completions', blanks)).status, 200);
  const word = { model: 'chat-model', messages: [{ role: 'user', content: '日'.repeat(3_000_000) }] };
  const count = (body: object) => gateway.post('/v1/messages/count_tokens', body);
  assert.equal(
    (await count({ ...word, messages: [{ role: 'user', content: 'it reads its tables' }] })).status,
    200,
  );
  // Until four are answered during one count, however quick the machine is; one that is blocked answers one or two.
  await until('others are answered meanwhile', async () => {
    const meanwhile = { isCounting: true, answered: 0 };
    const counted = count(word).finally(() => (meanwhile.isCounting = false));
    while (meanwhile.isCounting) {
      assert.equal((await gateway.request('/livez')).status, 200);
      meanwhile.answered += 1;
    }
    assert.ok(((await (await counted).json()) as { input_tokens: number }).input_tokens > 1_000_000);
    return meanwhile.answered > 3;
  });
});

test('the ledger is consistent afterwards', async () => {
  const { code, stdout } = await gateway.cli('ledger', 'check');
  assert.equal(code, 0, stdout);
});
