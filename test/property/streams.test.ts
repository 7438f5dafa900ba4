import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type SseMessage, parseJsonObject } from '#base';
import { type ClientFormatId, type FormatId, type GenerationEvent, collect, toEvents } from '#canonical';
import { isFailure } from '#wire';
import { readOwnCases, readRecordedCases } from '../golden/cases.ts';
import { anyResult } from '../support/arbitrary-results.ts';
import { FORMATS, createTarget, decodeStream, encodeStream, openPassage } from '../support/exchanges.ts';
import { repetitions } from '../support/repetitions.ts';

const streams = [...readOwnCases(), ...readRecordedCases()].filter((golden) => golden.kind === 'stream');

test('a stream cut after any event ends in an error, never in an end', () => {
  for (const golden of streams) {
    const { exchange } = openPassage(
      clientOf(golden.format),
      createTarget(golden.format, golden.dialect),
      golden.format,
    );
    const whole = decodeStream(exchange, golden.messages);
    if (whole.at(-1)?.type !== 'generation-end') continue;
    const ending = golden.messages.findIndex((message) => endsTheStream(golden.format, message));
    for (let count = 0; count < Math.min(ending, 60); count += 1) {
      const events = decodeStream(exchange, golden.messages.slice(0, count));
      assert.equal(events.at(-1)?.type, 'generation-error', `${golden.id} after ${count} events`);
    }
  }
});

/** Converse is not a client format. */
function clientOf(format: FormatId): ClientFormatId {
  return format === 'converse' ? 'messages' : format;
}

/**
 * From the finish reason (Chat), the stop reason (Messages) or the final response on, a reader may call the answer
 * complete.
 */
function endsTheStream(format: FormatId, message: SseMessage): boolean {
  const value = parseJsonObject(message.data);
  if (format === 'converse') return message.event === 'messageStop';
  if (format === 'messages') return value?.['type'] === 'message_delta';
  if (format === 'responses')
    return value?.['type'] === 'response.completed' || value?.['type'] === 'response.incomplete';
  const choices = (value?.['choices'] ?? []) as { finish_reason?: string | null }[];
  return message.data === '[DONE]' || choices.some((choice) => typeof choice.finish_reason === 'string');
}

test('what a decoder gives always follows the grammar', () => {
  for (const golden of streams) {
    const { exchange } = openPassage(
      clientOf(golden.format),
      createTarget(golden.format, golden.dialect),
      golden.format,
    );
    const events = decodeStream(exchange, golden.messages);
    if (events[0]?.type === 'generation-error') assert.equal(events.length, 1, golden.id);
    else collect(events); // throws GrammarError
    const last = events.at(-1)?.type ?? '';
    assert.ok(['generation-end', 'generation-error'].includes(last), `${golden.id} ends in ${last}`);
  }
});

test('a decoder survives any order of a stream’s own messages, and still follows the grammar', () => {
  const shuffled = fc.constantFrom(...streams).chain((golden) => {
    const messages = golden.messages.slice(0, 14);
    return fc.tuple(fc.constant(golden), fc.shuffledSubarray([...messages, ...messages.slice(0, 3)]));
  });
  fc.assert(
    fc.property(shuffled, ([golden, messages]) => {
      const { exchange } = openPassage(
        clientOf(golden.format),
        createTarget(golden.format, golden.dialect),
        golden.format,
      );
      const events = decodeStream(exchange, messages);
      if (events.length > 0 && events[0]?.type !== 'generation-error') collect(events);
    }),
    { numRuns: repetitions(2000) },
  );
});

test('a decoder survives any JSON in place of a message', () => {
  const message = fc.record({
    event: fc.constantFrom('message_start', 'content_block_delta', 'response.output_item.done', 'x'),
    data: fc.json(),
  });
  fc.assert(
    fc.property(fc.constantFrom(...FORMATS), fc.array(message, { maxLength: 5 }), (format, messages) => {
      const { exchange } = openPassage(format, createTarget(format), format);
      const events = decodeStream(exchange, messages);
      assert.ok(['generation-end', 'generation-error'].includes(events.at(-1)?.type ?? ''));
    }),
    { numRuns: repetitions(2000) },
  );
});

test('any result reaches clients of every format equally, streamed or not', () => {
  fc.assert(
    fc.property(fc.constantFrom(...FORMATS), anyResult, (client, result) => {
      const { inbound, context, exchange } = openPassage(client, createTarget(client), client);
      const whole = exchange.decodeResult(
        parseJsonObject(JSON.stringify(inbound.encodeResult(result, context))) ?? {},
      );
      assert.ok(!isFailure(whole));
      const streamed = collect(decodeStream(exchange, encodeStream(inbound, context, toEvents(result))));
      assert.equal(textOf(streamed.blocks), textOf(whole.blocks));
      assert.deepEqual(callsOf(streamed.blocks), callsOf(whole.blocks));
      assert.deepEqual(streamed.finish.reason, whole.finish.reason);
      assert.deepEqual(streamed.usage, whole.usage);
    }),
    { numRuns: repetitions(1000) },
  );
});

type Blocks = ReturnType<typeof collect>['blocks'];

function textOf(blocks: Blocks): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

function callsOf(blocks: Blocks): unknown[] {
  return blocks.flatMap((block) => {
    if (block.type !== 'tool-call') return [];
    return [
      [block.id, block.name, 'json' in block.input ? parseJsonObject(block.input.json) : block.input.value],
    ];
  });
}

test('an error at any point of any stream reaches the client as an error and as the last thing', () => {
  fc.assert(
    fc.property(fc.constantFrom(...FORMATS), anyResult, fc.nat(), (client, result, pick) => {
      const { inbound, context } = openPassage(client, createTarget(client), client);
      const events = toEvents(result);
      const error: GenerationEvent = {
        type: 'generation-error',
        failure: { kind: 'broken', message: 'cut' },
      };
      const cut = [...events.slice(0, 1 + (pick % (events.length - 1))), error];
      const frames = encodeStream(inbound, context, cut);
      assert.ok(frames.every((frame) => frame.data !== '[DONE]' && frame.event !== 'message_stop'));
      const last = parseJsonObject(frames.at(-1)?.data ?? '') ?? {};
      assert.ok(client === 'responses' ? last['type'] === 'response.failed' : 'error' in last);
    }),
  );
});
