import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOT_KEPT } from '#app';
import { formatPlan, formatReport } from './format-replay.ts';

const FACTS = { model: 'new-model', budget: 0n, isPartial: false };

test('a replay of nothing says what to do', () => {
  const print = (skipped: { requestId: string; reason: string }[]): string[] => [
    ...formatPlan({ ...FACTS, skipped, planned: [] }),
    ...formatReport(
      { ...FACTS, id: 'rpl_1', skipped, compared: [], failed: [], unsent: [], spent: 0n },
      false,
    ),
  ];
  const count = (lines: string[], part: string): number => lines.filter((line) => line.includes(part)).length;
  const none = print([]);
  assert.equal(count(none, 'no request matches; npx sluice logs'), 2, none.join('\n'));
  const unkept = print([{ requestId: 'req_1', reason: NOT_KEPT }]);
  assert.equal(count(unkept, 'npx sluice payloads set --project'), 2, unkept.join('\n'));
  const other = print([{ requestId: 'req_1', reason: 'a replay itself' }]);
  assert.equal(count(other, 'npx sluice'), 0, other.join('\n'));
});
