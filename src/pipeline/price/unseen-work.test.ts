import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mapping } from '#catalogue';
import { TokenRates } from '../request/memory/token-rates.ts';
import { UnseenWork } from './unseen-work.ts';

const MAPPING = { providerId: 'p', externalId: 'm', format: 'messages', reasoning: true } as Mapping;

function open({ stream = true, reasoning = {}, most = 1_000_000 } = {}) {
  const clock = { nowMs: 1_000, monotonicMs: () => clock.nowMs };
  const rates = new TokenRates();
  for (let answer = 0; answer < 100; answer += 1) rates.record(MAPPING, 100_000, 50_000);
  const work = new UnseenWork({ mapping: MAPPING, request: { stream, reasoning }, clock, rates, most });
  const perMs = rates.find(MAPPING) / 1_000;
  return { work, perMs, pass: (ms: number) => void (clock.nowMs += ms) };
}

test('hidden work is as many tokens as its provider generates in its time; what is shown adds none', () => {
  const { work, perMs, pass } = open();
  assert.ok(perMs > 1, `${perMs} tokens a millisecond`);
  work.start();
  pass(100);
  work.show();
  assert.equal(work.tokens, Math.floor(100 * perMs));
  pass(5_000);
  work.show();
  assert.equal(work.tokens, Math.floor(100 * perMs));
  work.hide();
  pass(50);
  assert.equal(work.tokens, Math.floor(150 * perMs));
  assert.deepEqual(work.usage, { outputText: 0, outputReasoning: work.tokens });
  pass(50);
  assert.equal(work.tokens, Math.floor(200 * perMs), 'as long again as the first time');
});

test('a millisecond of hidden work counts', () => {
  const { work, perMs, pass } = open();
  work.start();
  pass(1);
  assert.equal(work.tokens, Math.floor(perMs));
});

test('nothing is hidden in a stream without reasoning; all is in an answer that is sent as a whole, up to the limit', () => {
  const stream = open({ reasoning: { mode: 'off' } });
  stream.work.start();
  stream.pass(1_000);
  assert.equal(stream.work.tokens, 0);
  const whole = open({ stream: false, most: 7 });
  whole.work.start();
  assert.equal(whole.work.tokens, 0);
  whole.pass(1_000);
  assert.deepEqual(whole.work.usage, { outputText: 7, outputReasoning: 0 });
});
