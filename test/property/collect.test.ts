import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type GenerationEvent, GrammarError, collect, toEvents } from '#canonical';
import { anyResult } from '../support/arbitrary-results.ts';
import { repetitions } from '../support/repetitions.ts';

test('collecting the events of a result gives the result', () => {
  fc.assert(
    fc.property(anyResult, (result) => assert.deepEqual(collect(toEvents(result)), result)),
    { numRuns: repetitions(2000) },
  );
});

test('how a text is split into deltas never shows in the result', () => {
  fc.assert(
    fc.property(anyResult, fc.integer({ min: 1, max: 5 }), (result, size) => {
      const events = toEvents(result).flatMap((event): GenerationEvent[] =>
        event.type === 'block-delta'
          ? splitText(event.text, size).map((text) => ({ ...event, text }))
          : [event],
      );
      assert.deepEqual(collect(events), result);
    }),
  );
});

function splitText(text: string, size: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += size) parts.push(text.slice(at, at + size));
  return parts;
}

test('collecting leaves the events as they were: a stream can be collected and relayed at once', () => {
  fc.assert(
    fc.property(anyResult, (result) => {
      const events = toEvents(result);
      const before = JSON.stringify(events);
      collect(events);
      assert.equal(JSON.stringify(events), before);
    }),
  );
});

test('events out of order are a fault, never a wrong result', () => {
  fc.assert(
    fc.property(
      anyResult.filter((result) => result.blocks.length > 0),
      fc.nat(),
      (result, pick) => {
        const events = toEvents(result);
        const ends = events.flatMap((event, at) => (event.type === 'block-end' ? [at] : []));
        const dropped = ends[pick % ends.length] ?? 0;
        assert.throws(() => collect(events.filter((_, at) => at !== dropped)), GrammarError);
      },
    ),
  );
});
