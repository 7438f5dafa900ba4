import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GenerationEvent } from '#canonical';
import { createTarget, decodeStream, openPassage } from '../../test/support/exchanges.ts';
import { createAnswer, createAnswerEvents } from '../../test/support/upstream-answers.ts';

const call = (id: string) => ({ id, name: 'weather', input: { location: 'Oslo' } });
const PLAN = { text: '', toolCalls: [call('c'), call('c'), call('')] };

const ARRIVED = {
  number: 0,
  method: 'POST',
  path: '/',
  headers: {},
  body: {},
  rawBody: '{}',
  stream: true,
  receivedAtMs: 0,
  bytesSent: 0,
  chunksSent: 0,
  inputTokens: 1,
  outputTokens: 1,
  completed: false,
  aborted: false,
};

const startedIds = (events: readonly GenerationEvent[]): string[] =>
  events.flatMap((event) =>
    event.type === 'block-start' && event.block.type === 'tool-call' ? [event.block.id] : [],
  );

for (const format of ['chat', 'messages', 'responses', 'gemini'] as const) {
  test(`calls of a ${format} answer with one id, or none, are distinguished, whole and streamed`, () => {
    const truth = { ...ARRIVED, format };
    const { exchange } = openPassage('chat', createTarget(format), format);
    const result = exchange.decodeResult(createAnswer(PLAN, truth).body);
    assert.ok('blocks' in result);
    const whole = result.blocks.flatMap((block) => (block.type === 'tool-call' ? [block.id] : []));
    const streamed = startedIds(decodeStream(exchange, createAnswerEvents(PLAN, truth)));
    for (const ids of [whole, streamed]) {
      assert.equal(ids.length, 3);
      assert.equal(ids[0], 'c');
      assert.equal(new Set(ids).size, 3);
      assert.ok(!ids.includes(''));
    }
  });
}
