import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runFuzzCases } from '../support/fuzz/fuzz-run.ts';

test('600 damaged requests and answers: none causes a fault or blocks the event loop, and canary requests succeed', async () => {
  const { requests, answers, accepted, canaries, rows, faults } = await runFuzzCases({
    seed: 1,
    count: 600,
    report: () => undefined,
  });
  assert.deepEqual(faults, []);
  assert.equal(requests + answers, 600);
  assert.ok(accepted > 100, String(accepted));
  assert.equal(canaries, 6);
  assert.ok(rows >= 50, String(rows));
});
