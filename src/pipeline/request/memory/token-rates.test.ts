import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mapping } from '#catalogue';
import { TokenRates } from './token-rates.ts';

const createMapping = () => ({ providerId: 'p', externalId: 'm' }) as Mapping;

test('a mapping’s rate follows its recent answers, long ones more than short ones', () => {
  const rates = new TokenRates();
  const mapping = createMapping();
  const usual = rates.find(mapping);
  rates.record(mapping, 1_000, 10_000);
  assert.equal(rates.find(mapping), 100);
  rates.record(mapping, 4_000, 20_000);
  assert.ok(rates.find(mapping) > 150 && rates.find(mapping) < 200);
  for (let answers = 0; answers < 30; answers += 1) rates.record(mapping, 500, 10_000);
  assert.ok(Math.abs(rates.find(mapping) - 50) < 1, 'old answers are forgotten');
  assert.equal(rates.find(createMapping()), usual, 'each mapping has its own');
});

test('answers that say nothing about a model’s speed are ignored, and no rate is beyond belief', () => {
  const rates = new TokenRates();
  const mapping = createMapping();
  const usual = rates.find(mapping);
  rates.record(mapping, 3, 60_000);
  rates.record(mapping, 1_000, 0);
  assert.equal(rates.find(mapping), usual);
  rates.record(mapping, 1_000_000, 1);
  assert.equal(rates.find(mapping), 5_000);
});
