import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type CanonicalRequest, FORMATS, type FormatId } from '#canonical';
import type { Exchange, StreamDecoder } from '#wire';
import { getInboundFormat, getOutboundFormat } from '#wire';
import { createTarget } from '../../test/support/exchanges.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const tool = { name: 'look', input_schema: { type: 'object' } };
const messagesBody = () => ({
  model: 'm',
  max_tokens: 9,
  stream: true,
  tools: [tool],
  stop_sequences: ['a', 'b', 'c', 'd', 'e', 'f'],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'a long prompt' }] }],
});
const chatBody = () => ({
  model: 'm',
  stream: true,
  tools: [{ type: 'custom', custom: { name: 'patch' } }],
  messages: [{ role: 'user', content: 'a long prompt' }],
});

interface Watched {
  decoder: StreamDecoder;
  exchange: Exchange;
  prompt: WeakRef<CanonicalRequest['turns'][number]>;
}

/** Sends and releases the body, as an attempt does. */
function begin(client: 'messages' | 'chat', upstream: FormatId): Watched {
  const body = client === 'messages' ? messagesBody() : chatBody();
  const request = getInboundFormat(client).decodeRequest(body, {});
  const exchange = getOutboundFormat(upstream).openExchange(request, createTarget(upstream));
  exchange.body = {};
  return { exchange, decoder: exchange.createStreamDecoder(), prompt: new WeakRef(request.turns[0]!) };
}

for (const upstream of FORMATS) {
  for (const client of ['messages', 'chat'] as const) {
    test(`a ${client} prompt is not retained while the ${upstream} answer to it is read`, async () => {
      const watched = begin(client, upstream);
      await new Promise(setImmediate); // a WeakRef keeps its target until the end of the turn
      collectGarbage();
      assert.equal(watched.prompt.deref(), undefined);
      assert.deepEqual(watched.exchange.body, {}); // still reachable, as is the decoder
    });
  }
}
