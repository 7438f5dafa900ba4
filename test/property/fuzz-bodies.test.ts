import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyFuzzer } from './fuzz-bodies.ts';

test('300 damaged requests are accepted or refused for their own fault; 100 damaged answers are read or are the provider’s failure', async () => {
  const fuzzer = new BodyFuzzer();
  for (let seed = 1; seed <= 300; seed += 1) await fuzzer.request(seed);
  for (let seed = 1; seed <= 100; seed += 1) fuzzer.answer(seed);
  assert.ok(fuzzer.accepted > 30, String(fuzzer.accepted));
});
