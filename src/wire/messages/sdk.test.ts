import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import FormerAnthropic from 'anthropic-sdk-0-137';
import { type JsonObject, formatSse } from '#base';
import { type GenerationEvent, type GenerationResult, createUsage, toEvents } from '#canonical';
import { createMessagesContext, encodeStream, readMessage } from '../../../test/support/messages-exchange.ts';
import { messagesInbound } from './index.ts';

const ANSWER: GenerationResult = {
  id: 'chatcmpl-1',
  model: 'up',
  blocks: [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'Let me look 漢😀.' },
    {
      type: 'native',
      format: 'messages',
      value: { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
    },
    { type: 'tool-call', id: 'functions.look:0', name: 'look', input: { json: '{"at":[1,2]}' } },
    { type: 'tool-call', id: 'call_2', name: 'now', input: { json: '{}' } },
  ],
  finish: { reason: 'stop' },
  usage: createUsage({ inputUncached: 5, inputCacheRead: 7, outputText: 9, outputReasoning: 2 }),
};

/** A fetch that answers every request with these events, in frames split every seven characters. */
function answerWith(events: readonly GenerationEvent[]): typeof fetch {
  const bytes = new TextEncoder().encode(encodeStream(events).map(formatSse).join(''));
  return () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.subarray(at, at + 7));
        controller.close();
      },
    });
    return Promise.resolve(
      new Response(body, { status: 200, headers: { 'content-type': 'text/event-stream' } }),
    );
  };
}

// The types of the two differ only in parts this test does not use.
const CLIENTS = { current: Anthropic, former: FormerAnthropic as unknown as typeof Anthropic };
const PROMPT = { model: 'claude-x', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hi' }] };

for (const [which, Client] of Object.entries(CLIENTS)) {
  const create = (events: readonly GenerationEvent[]) =>
    new Client({ apiKey: 'k', baseURL: 'http://127.0.0.1:9', maxRetries: 0, fetch: answerWith(events) });

  test(`the ${which} official client builds the same message from the stream as from the JSON answer`, async () => {
    const streamed = await create(toEvents(ANSWER)).messages.stream(PROMPT).finalMessage();
    const whole = messagesInbound.encodeResult(ANSWER, createMessagesContext());
    const read = readMessage(JSON.parse(JSON.stringify(streamed)) as JsonObject);
    assert.deepEqual(read.blocks, readMessage(whole).blocks);
    assert.deepEqual(read.finish, { reason: 'tool-calls', raw: 'tool_use' });
    assert.equal(read.usage?.inputUncached, 5);
    assert.equal(read.usage.inputCacheRead, 7);
    assert.equal(read.usage.outputText + read.usage.outputReasoning, 11);
  });

  test(`[D-58] the ${which} official client throws on a cut answer`, async () => {
    const events = toEvents(ANSWER).slice(0, 5);
    const failure = { kind: 'overloaded' as const, message: 'Sorry' };
    const stream = create([...events, { type: 'generation-error', failure }]).messages.stream(PROMPT);
    await assert.rejects(stream.finalMessage(), /Sorry/);
  });
}
