import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runExportPlan } from '../support/export-run.ts';

test('with a receiver that is down and two kills no row is missing, and a repeated one has the same id', async (t) => {
  const figures = await runExportPlan({ downMs: 1, requests: 60, batchRows: 7 });
  assert.ok(figures.repeatedBatches >= 1, 'the batch that was taken without an answer was sent again');
  t.diagnostic(JSON.stringify(figures));
});
