import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { type Usage, createUsage } from '#canonical';
import { listParts } from './iterations.ts';

const use = (inputUncached: number, outputText: number, webSearches = 0): Usage =>
  createUsage({ inputUncached, outputText, webSearches });
const turn = (type: string, [input, output]: [number, number], model?: string): JsonObject => ({
  type,
  input,
  output,
  ...(model !== undefined && { model }),
});
const list = (whole: Usage, ...turns: JsonObject[]) =>
  listParts(turns, whole, (raw) => {
    const { input, output } = raw as { input: number; output: number };
    return use(input, output);
  });

test('an answer that reports no turns has no parts', () => {
  for (const reported of [undefined, null, 'none', {}])
    assert.equal(
      listParts(reported as never, use(1, 1), () => use(0, 0)),
      undefined,
    );
});

test('totals count where they are complete, and what the turns count where that is more', () => {
  assert.deepEqual(list(use(11, 5, 2), turn('message', [4, 2]), turn('message', [6, 3])), [
    { usage: use(11, 5, 2) },
  ]);
  assert.deepEqual(list(use(10, 5, 2)), [{ usage: use(10, 5, 2) }]);
  assert.deepEqual(list(use(10, 5, 2), turn('message', [7, 2]), turn('message', [6, 3])), [
    { usage: use(7, 2) },
    { usage: use(6, 3, 2) },
  ]);
  assert.deepEqual(list(use(10, 5, 2), turn('message', [4, 3]), turn('message', [6, 3])), [
    { usage: use(4, 3) },
    { usage: use(6, 3, 2) },
  ]);
  const detailed = createUsage({ inputUncached: 6, inputCacheRead: 4, outputText: 3, outputReasoning: 2 });
  assert.deepEqual(list(detailed, turn('message', [10, 5])), [{ usage: detailed }]);
});

test('each reading of a prompt is a part where the turns count all that the totals do', () => {
  const whole = createUsage({ inputUncached: 10, outputText: 1, outputReasoning: 5, webSearches: 2 });
  assert.deepEqual(list(whole, turn('message', [4, 2]), turn('message', [6, 4])), [
    { usage: createUsage({ inputUncached: 4, outputReasoning: 2 }) },
    { usage: createUsage({ inputUncached: 6, outputText: 1, outputReasoning: 3, webSearches: 2 }) },
  ]);
});

test('compactions and advisors are billed beside the totals, by their models', () => {
  const parts = list(
    use(10, 5),
    turn('message', [10, 5], 'ignored'),
    turn('advisor_message', [3, 1], 'advisor'),
    turn('advisor_message', [2, 2], 'advisor'),
    turn('compaction', [7, 1], ''),
    turn('unknown', [9, 9]),
  );
  assert.deepEqual(parts, [
    { usage: use(10, 5) },
    { model: 'advisor', usage: use(3, 1) },
    { model: 'advisor', usage: use(2, 2) },
    { usage: use(7, 1) },
  ]);
});

test('after a fallback each turn that answered is billed by its model, with the searches of the answer once', () => {
  const fallback = turn('fallback_message', [10, 4], 'other');
  assert.deepEqual(list(use(10, 4, 3), turn('message', [10, 0]), fallback), [
    { model: 'other', usage: use(10, 4, 3) },
  ]);
  assert.deepEqual(list(use(10, 4, 3), turn('message', [10, 1]), fallback), [
    { usage: use(10, 1) },
    { model: 'other', usage: use(10, 4, 3) },
  ]);
  assert.deepEqual(list(use(10, 4, 3), turn('fallback_message', [10, 0], 'first'), fallback), [
    { model: 'first', usage: use(10, 0) },
    { model: 'other', usage: use(10, 4, 3) },
  ]);
});
