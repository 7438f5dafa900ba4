import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SseParser, parseJsonObject } from '#base';
import { type MockUpstream, findClosedPort, startMockUpstream } from './mock-upstream.ts';
import { RawClient } from './raw-client.ts';
import { hasRecordings, NO_RECORDINGS } from './recordings.ts';
import * as replies from './upstream-replies.ts';
import { until } from './until.ts';

const CHAT = { model: 'm', messages: [{ role: 'user', content: 'hello' }] };
const STREAMED = { ...CHAT, stream: true, stream_options: { include_usage: true } };

function post(upstream: MockUpstream, body: object, path = '/chat/completions'): Promise<Response> {
  return fetch(`${upstream.baseUrl}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'x-mark': 'marked' },
  });
}

async function readEvents(response: Response): Promise<string[]> {
  const parser = new SseParser();
  const bytes = new Uint8Array(await response.arrayBuffer());
  return [...parser.push(bytes), ...parser.close()].map((message) => message.data);
}

test('an unscripted request is echoed with the expected usage, in both formats, JSON and streamed', async () => {
  await using upstream = await startMockUpstream();
  const body = (await (await post(upstream, CHAT)).json()) as {
    choices: [{ message: { content: string } }];
    usage: { completion_tokens: number };
  };
  assert.equal(body.choices[0].message.content, 'echo: hello');
  assert.equal(body.usage.completion_tokens, upstream.truths[0]?.outputTokens);

  const chunks = await readEvents(await post(upstream, STREAMED));
  assert.equal(chunks.at(-1), '[DONE]');
  assert.deepEqual(parseJsonObject(chunks.at(-2) ?? '')?.['usage'], {
    prompt_tokens: upstream.truths[1]?.inputTokens,
    completion_tokens: upstream.truths[1]?.outputTokens,
    total_tokens: (upstream.truths[1]?.inputTokens ?? 0) + (upstream.truths[1]?.outputTokens ?? 0),
  });

  const message = (await (await post(upstream, CHAT, '/messages')).json()) as { content: [{ text: string }] };
  assert.equal(message.content[0].text, 'echo: hello');
  const events = await readEvents(await post(upstream, { ...CHAT, stream: true }, '/messages'));
  assert.equal(parseJsonObject(events.at(-1) ?? '')?.['type'], 'message_stop');
  assert.equal(upstream.find('marked').length, 4);
  assert.ok(upstream.truths.every((truth) => truth.completed && !truth.aborted));
});

test('count_tokens is answered, an unknown path is 404, a closed port refuses', async () => {
  await using upstream = await startMockUpstream();
  const counted = (await (await post(upstream, CHAT, '/messages/count_tokens')).json()) as {
    input_tokens: number;
  };
  assert.equal(counted.input_tokens, upstream.truths[0]?.inputTokens);
  assert.equal((await post(upstream, CHAT, '/elsewhere')).status, 404);
  await assert.rejects(fetch(`http://127.0.0.1:${await findClosedPort()}/v1`));
});

test('scripts are chosen by model or marker, the newest first, and a sequence gives each its turn', async () => {
  await using upstream = await startMockUpstream();
  upstream.script({ match: { model: 'm' }, reply: replies.sequence(replies.overloaded(), replies.answer()) });
  upstream.script({ match: { marker: 'teapot' }, reply: replies.fail(418, 'teapot_error') });
  assert.equal((await post(upstream, { ...CHAT, note: 'teapot' })).status, 418);
  assert.equal((await post(upstream, CHAT)).status, 529);
  assert.equal((await post(upstream, CHAT)).status, 200);
  upstream.script({ reply: replies.rateLimited('7') });
  assert.equal((await post(upstream, CHAT)).headers.get('retry-after'), '7');
});

test('a stream ends by FIN, reset or a proper end after as many events as asked', async () => {
  await using upstream = await startMockUpstream();
  for (const how of ['fin', 'reset'] as const) {
    upstream.script({ reply: replies.cutAfter(3, { how }) });
    await assert.rejects((await post(upstream, STREAMED)).text(), how);
  }
  upstream.script({ reply: replies.cutAfter(3, { how: 'end' }) });
  assert.equal((await readEvents(await post(upstream, STREAMED))).length, 3);
  assert.deepEqual(
    upstream.truths.map((truth) => truth.chunksSent),
    [3, 3, 3],
  );
});

test('resets before the headers and inside a body reach the reader as broken connections', async () => {
  await using upstream = await startMockUpstream();
  upstream.script({ reply: replies.resetBeforeHeaders() });
  await assert.rejects(post(upstream, CHAT));
  upstream.script({ reply: replies.resetMidBody() });
  await assert.rejects((await post(upstream, CHAT)).text());
});

test('errors with status 200, a foreign page, a redirect and a first-event error look like their kind', async () => {
  await using upstream = await startMockUpstream();
  upstream.script({ reply: replies.errorWithOk() });
  assert.ok('error' in ((await (await post(upstream, CHAT)).json()) as object));
  upstream.script({ reply: replies.wrongContentType() });
  assert.equal((await post(upstream, CHAT)).headers.get('content-type'), 'text/html');
  upstream.script({ reply: replies.redirect('http://127.0.0.1:1/') });
  await assert.rejects(post(upstream, CHAT), 'fetch follows the redirect to a closed port');
  upstream.script({ reply: replies.errorAfter(0) });
  const [first] = await readEvents(await post(upstream, STREAMED, '/messages'));
  assert.equal(parseJsonObject(first ?? '')?.['type'], 'error');
});

test('a reader that leaves is noted with its time; an endless stream stops then', async () => {
  await using upstream = await startMockUpstream();
  upstream.script({ reply: replies.endless(1) });
  using client = await RawClient.open(upstream.baseUrl);
  client.post('/v1/chat/completions', STREAMED);
  await client.waitFor((received) => received.includes('more'));
  client.reset();
  await until('the reader has left', () => upstream.truths[0]?.aborted === true);
  const { chunksSent, abortedAtMs } = upstream.truths[0] ?? {};
  assert.ok(abortedAtMs !== undefined && abortedAtMs <= performance.now());
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(upstream.truths[0]?.chunksSent, chunksSent);
  await until('its connection is closed', () => upstream.connections === 0);
});

test('a reader that stops reading stops the sender too', async () => {
  await using upstream = await startMockUpstream();
  upstream.script({ reply: replies.hugeEvent(64 * 1024 * 1024) });
  using client = await RawClient.open(upstream.baseUrl);
  client.stopReading();
  client.post('/v1/chat/completions', STREAMED);
  await upstream.waitForRequests(1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  const sent = upstream.truths[0]?.bytesSent ?? 0;
  assert.ok(sent > 0 && sent < 32 * 1024 * 1024, `${sent} bytes`);
});

test('a slow drip arrives whole, byte by byte', async () => {
  await using upstream = await startMockUpstream();
  upstream.script({ reply: replies.slowDrip(0) });
  assert.equal(parseJsonObject(await (await post(upstream, CHAT)).text())?.['object'], 'chat.completion');
});

test(
  'a recording is replayed as it once travelled',
  { skip: hasRecordings ? false : NO_RECORDINGS },
  async () => {
    await using upstream = await startMockUpstream();
    upstream.script({ reply: replies.replay('groq/groq-tool-call.chunks.txt') });
    const events = await readEvents(await post(upstream, STREAMED));
    assert.equal(events.length, 4);
    assert.equal(events.at(-1), '[DONE]');
  },
);

test('a kept-alive connection is closed as it is used again, a fresh one is answered', async () => {
  await using upstream = await startMockUpstream();
  upstream.closeReused(() => true);
  const send = (client: RawClient): void => client.post('/v1/chat/completions', CHAT);
  for (let round = 1; round <= 2; round += 1) {
    const client = await RawClient.open(upstream.baseUrl);
    send(client);
    await client.waitFor((received) => received.includes('echo: hello'));
    const answered = client.received;
    send(client);
    assert.equal(await client.waitForEnd(), answered, 'no byte for the second request');
    assert.equal(upstream.closedReused, round);
  }
  assert.equal(upstream.truths.length, 2);
});
