import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, formatSse } from '#base';
import type { UpstreamFailure } from '#errors';
import { type Exchange, getOutboundFormat } from '#wire';
import { createChatTarget, decodeChat } from '../../test/support/chat-exchange.ts';
import { createMessagesTarget, decodeMessages } from '../../test/support/messages-exchange.ts';
import { AnswerReader } from './answer-reader.ts';

const MEGABYTE = 1024 * 1024;
const MOST_MEGABYTES = 128;

const CHAT = (): Exchange => getOutboundFormat('chat').openExchange(decodeChat({}), createChatTarget());
const MESSAGES = (): Exchange =>
  getOutboundFormat('messages').openExchange(decodeMessages(), createMessagesTarget());

/** How many megabytes of a stream are read before it is given up, and why. */
function readOn(exchange: Exchange, pieces: readonly JsonObject[], mostMegabytes: number) {
  let failure: UpstreamFailure | undefined;
  const reader = new AnswerReader(exchange, getOutboundFormat('chat'), {
    onEvents: () => undefined,
    onFailure: (told) => (failure = told),
    onSign: () => undefined,
  });
  reader.onHead(200, {});
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
    const { failure, megabytes } = readOn(open(), pieces, 2 * MOST_MEGABYTES);
    assert.equal(failure?.kind, 'garbled');
    assert.equal(failure.message, 'the provider sent an answer that is too large');
    assert.ok(megabytes >= MOST_MEGABYTES && megabytes < MOST_MEGABYTES + 16, `${megabytes}`);
  });
}

test('a long answer of words is no such stream, however much stands around each of them', () => {
  const chunk = toChunk({ content: 'word ', beside: 'x'.repeat(3_000) });
  assert.equal(readOn(CHAT(), [chunk], 2 * MOST_MEGABYTES).failure, undefined);
});
