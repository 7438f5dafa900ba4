import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUsage } from '#canonical';
import type { UsageLine } from '../usage/usage-line.ts';
import { formatUsage } from './usage.ts';

const usage = createUsage({
  inputUncached: 1,
  inputAudio: 20,
  inputImage: 300,
  inputCacheRead: 4_000,
  inputCacheWrite5m: 1,
  inputCacheWrite1h: 2,
  outputText: 5,
  outputReasoning: 60,
  outputAudio: 700,
  outputImage: 8_000,
});
const line = { group: { model: 'm' }, requests: 1, usage, customer: '15', provider: '0' } as UsageLine;

test('`usage` counts tokens of texts, audio and images, in the columns that `sessions` has', () => {
  const { heading, rows } = formatUsage(
    ['model'],
    { lines: [line], total: { ...line, group: {} } },
    { show: String },
  );
  const tokens = ['fresh', 'cached', 'written', 'out'];
  assert.deepEqual(heading, ['model', 'requests', ...tokens, 'customer usd', 'provider usd']);
  const counts = ['1', '321', '4000', '3', '8765', '0.000000000015', '0'];
  assert.deepEqual(rows, [
    ['m', ...counts],
    ['total', ...counts],
  ]);
});
