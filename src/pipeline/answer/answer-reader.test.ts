import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, formatSse } from '#base';
import type { UpstreamFailure } from '#errors';
import { type Exchange, getOutboundFormat } from '#wire';
import { createChatTarget, decodeChat } from '../../../test/support/chat-exchange.ts';
import { createMessagesTarget, decodeMessages } from '../../../test/support/messages-exchange.ts';
import { AnswerReader } from './answer-reader.ts';

const MEGABYTE = 1024 * 1024;
const MOST_MEGABYTES = 128;

const CHAT = (): Exchange => getOutboundFormat('chat').openExchange(decodeChat({}), createChatTarget());
const MESSAGES = (): Exchange =>
  getOutboundFormat('messages').openExchange(decodeMessages(), createMessagesTarget());

/** Megabytes of a stream that are read before it is abandoned, and the failure. */
function readOn(
  exchange: Exchange,
  pieces: readonly JsonObject[],
  { mostMegabytes, status = 200 }: { mostMegabytes: number; status?: number },
) {
  let failure: UpstreamFailure | undefined;
  const reader = new AnswerReader(exchange, getOutboundFormat('chat'), {
    onEvents: () => undefined,
    onFailure: (reported) => (failure = reported),
    onSign: () => undefined,
  });
  reader.onHead(status, {});
  const bytes = Buffer.from(pieces.map((piece) => formatSse({ data: JSON.stringify(piece) })).join(''));
  let read = 0;
  while (!failure && read < mostMegabytes * MEGABYTE) {
    reader.onData(bytes);
    read += bytes.length;
  }
  return { failure, megabytes: read / MEGABYTE };
}

const LONG = 'x'.repeat(100_000);
const citation = { type: 'char_location', cited_text: LONG, document_index: 0 };
const toChunk = (delta: JsonObject): JsonObject => ({ id: 'c', choices: [{ index: 0, delta }] });

const ENDLESS: [name: string, open: () => Exchange, pieces: JsonObject[]][] = [
  [
    'blocks',
    MESSAGES,
    [
      { type: 'content_block_start', index: 0, content_block: { type: 'odd', value: LONG } },
      { type: 'content_block_stop', index: 0 },
    ],
  ],
  [
    'citations',
    MESSAGES,
    [
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation } },
    ],
  ],
  ['events that say nothing', MESSAGES, [{ type: 'odd', value: LONG }]],
  ['words with more beside them than there is in them', CHAT, [toChunk({ content: 'a', odd: LONG })]],
];

for (const [name, open, pieces] of ENDLESS) {
  test(`[U14] a stream of ${name} without end is given up`, () => {
    const { failure, megabytes } = readOn(open(), pieces, { mostMegabytes: 2 * MOST_MEGABYTES });
    assert.equal(failure?.kind, 'garbled');
    assert.equal(failure.message, 'the provider returned a response that is too large');
    assert.ok(megabytes >= MOST_MEGABYTES && megabytes < MOST_MEGABYTES + 16, `${megabytes}`);
  });
}

test('a long text answer is not treated as such a stream, whatever surrounds each word', () => {
  const chunk = toChunk({ content: 'word ', siblings: 'x'.repeat(3_000) });
  assert.equal(readOn(CHAT(), [chunk], { mostMegabytes: 2 * MOST_MEGABYTES }).failure, undefined);
});

const toCall = (index: number): JsonObject => ({
  index,
  id: `call_${index}`,
  type: 'function',
  function: { name: 'f', arguments: '{}' },
});

test('an answer of 300,000 tool calls is given up: as a stream, and as a whole', async () => {
  const calls = Array.from({ length: 300_000 }, (_, index) => toCall(index));
  const stream = readOn(
    CHAT(),
    calls.map((call) => toChunk({ tool_calls: [call] })),
    { mostMegabytes: 1 },
  );
  assert.equal(stream.failure?.message, 'the provider returned a response that is too large');
  for (const [count, message] of [
    [20_000, 'the provider returned a response that is too large'],
    [
      300_000,
      'the provider returned a response that has more than 400,000 JSON values, a text counted as two',
    ],
  ] as const) {
    const choices = [{ index: 0, message: { role: 'assistant', tool_calls: calls.slice(0, count) } }];
    assert.equal((await readWhole({ id: 'c', choices }))?.message, message);
  }
});

test('a tool call with arguments beyond any model’s longest answer is given up', () => {
  const piece = toChunk({
    tool_calls: [{ ...toCall(0), function: { name: 'f', arguments: '1,'.repeat(2_000) } }],
  });
  const { failure, megabytes } = readOn(CHAT(), [piece], { mostMegabytes: 64 });
  assert.equal(failure?.message, 'the provider returned a response that is too large');
  assert.ok(megabytes < 8, String(megabytes));
});

const toArguments = (text: string): JsonObject[] => [
  { ...toCall(0), function: { name: 'f', arguments: text } },
];
const NAMES = Array.from({ length: 40_000 }, (_, at) => `"k${at}":1`).join();

const EXCESSIVE: [name: string, message: JsonObject][] = [
  ['arguments of 300,000 values', { tool_calls: toArguments(`[${'{},'.repeat(150_000)}1]`) }],
  ['arguments of 40,000 names', { tool_calls: toArguments(`{${NAMES}}`) }],
];

test('a text beyond any model’s longest answer is given up as a whole, and passed on as a stream', async () => {
  const content = 'word '.repeat(200_000);
  const message = { content: content.repeat(9) };
  const whole = await readWhole({ id: 'c', choices: [{ index: 0, message }] });
  assert.equal(whole?.message, 'the provider returned a response that is too large');
  const stream = readOn(CHAT(), [toChunk({ content })], { mostMegabytes: 9 });
  assert.equal(stream.failure, undefined);
});

for (const [name, message] of EXCESSIVE) {
  test(`${name} are given up, as a stream and as a whole`, async () => {
    const whole = await readWhole({ id: 'c', choices: [{ index: 0, message }] });
    assert.equal(whole?.message, 'the provider returned a response that is too large');
    const ended = { id: 'c', choices: [{ index: 0, delta: { content: 'x' }, finish_reason: 'stop' }] };
    const stream = readOn(CHAT(), [toChunk(message), toChunk({ tool_calls: [toCall(1)] }), ended], {
      mostMegabytes: 1,
    });
    assert.equal(stream.failure?.message, 'the provider returned a response that is too large');
  });
}

test('arguments of many commas in their texts are read', async () => {
  const tool_calls = toArguments(JSON.stringify({ code: '{},"'.repeat(300_000) }));
  assert.equal(await readWhole({ id: 'c', choices: [{ index: 0, message: { tool_calls } }] }), undefined);
});

test('a large answer that is no stream is passed on in slices, and others have their turn between them', async () => {
  const calls = Array.from({ length: 9_000 }, (_, index) => toCall(index));
  const choices = [
    { index: 0, message: { role: 'assistant', tool_calls: calls }, finish_reason: 'tool_calls' },
  ];
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const slices: number[] = [];
  let [turns, isWhole] = [0, false];
  const count = setInterval(() => (turns += 1), 1);
  const reader = new AnswerReader(CHAT(), getOutboundFormat('chat'), {
    onWhole: () => (isWhole = true),
    onEvents: (events) => {
      assert.equal(isWhole, true);
      slices.push(events.length);
      if (events.at(-1)?.type === 'generation-end') resolve(undefined);
    },
    onFailure: (failure) => assert.fail(failure.message),
    onSign: () => undefined,
  });
  reader.onHead(200, {});
  reader.onData(Buffer.from(JSON.stringify({ id: 'c', choices })));
  reader.onEnd();
  await promise;
  clearInterval(count);
  assert.ok(Math.max(...slices) <= 256, String(Math.max(...slices)));
  assert.equal(
    slices.reduce((sum, length) => sum + length),
    2 + 3 * calls.length,
  );
  assert.ok(turns > 0);
});

test('a byte order mark before an answer or an error is skipped', () => {
  const seen: unknown[] = [];
  const MARK = '\uFEFF';
  const choices = [{ index: 0, message: { content: 'hi' }, finish_reason: 'stop' }];
  for (const [status, body] of [
    [200, { id: 'c', choices }],
    [400, { error: { message: 'max_tokens is too large' } }],
  ] as const) {
    const reader = new AnswerReader(CHAT(), getOutboundFormat('chat'), {
      onEvents: (events) => seen.push(events.at(-1)?.type),
      onFailure: ({ message }) => seen.push(message),
      onSign: () => undefined,
    });
    reader.onHead(status, {});
    const bytes = Buffer.from(`${MARK}${JSON.stringify(body)}`);
    reader.onData(bytes.subarray(0, 1));
    reader.onData(bytes.subarray(1));
    reader.onEnd();
  }
  assert.deepEqual(seen, ['generation-end', 'max_tokens is too large']);
});

test('of a long error 64 KiB are read, and the attempt ends there', () => {
  const { failure, megabytes } = readOn(CHAT(), [{ error: { message: LONG } }], {
    mostMegabytes: 3_000,
    status: 500,
  });
  assert.equal(failure?.kind, 'broken');
  assert.ok(megabytes <= 0.2, String(megabytes));
});

test('an answer may begin with as much white space as a provider sends while it works, and no more', () => {
  const { failure, read } = readSpace(3_000);
  assert.equal(failure?.message, 'the provider’s answer begins with too much white space');
  assert.ok(read > 32 * 1024 && read < 128 * 1024, String(read));
});

/** Kilobytes of white space, until the answer is given up. */
function readSpace(kilobytes: number): { failure: UpstreamFailure | undefined; read: number } {
  let failure: UpstreamFailure | undefined;
  const reader = new AnswerReader(CHAT(), getOutboundFormat('chat'), {
    onEvents: () => undefined,
    onFailure: (reported) => (failure = reported),
    onSign: () => undefined,
  });
  reader.onHead(200, {});
  const line = Buffer.alloc(1_024, ' \n');
  let read = 0;
  for (; !failure && read < kilobytes * line.length; read += line.length) reader.onData(line);
  return { failure, read };
}

/** What becomes of an answer that is no stream; a long one is read in turn with others. */
function readWhole(body: JsonObject): Promise<UpstreamFailure | undefined> {
  const { promise, resolve } = Promise.withResolvers<UpstreamFailure | undefined>();
  const reader = new AnswerReader(CHAT(), getOutboundFormat('chat'), {
    onEvents: () => resolve(undefined),
    onFailure: resolve,
    onSign: () => undefined,
  });
  reader.onHead(200, {});
  reader.onData(Buffer.from(JSON.stringify(body)));
  reader.onEnd();
  return promise;
}

test('a long answer that is no stream is read, while others have their turn', async () => {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'word '.repeat(1_000_000) } }];
  let hadTurn = false;
  setImmediate(() => (hadTurn = true));
  assert.equal(await readWhole({ id: 'c', choices }), undefined);
  assert.equal(hadTurn, true);
});
