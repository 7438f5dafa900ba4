import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Mapping, parsePrice } from '#catalogue';
import { createUsage } from '#canonical';
import type { BilledPart } from '../request/billed-part.ts';
import { listBilledParts, toLogParts } from './pricing.ts';

const MODIFIERS = { service_tier: { values: { priority: { factor: '2' } } } };
const PRICE = parsePrice({ input: '1', output: '2' });
const OWN = { providerId: 'first', modelId: 'own', price: PRICE, modifiers: MODIFIERS } as unknown as Mapping;
const OTHER = {
  providerId: 'second',
  modelId: 'other',
  price: parsePrice({ input: '3', output: '4' }),
} as Mapping;
const UNPRICED = { modelId: 'unpriced' } as Mapping;
const usage = createUsage({ inputUncached: 1, outputText: 7 });

function bill(models: (string | undefined)[], tier?: string): BilledPart[] {
  const known = new Map([OTHER, UNPRICED].map((mapping) => [mapping.modelId, mapping]));
  const findModel = (name: string): Mapping | undefined => known.get(name);
  const parts = models.map((model) => ({ usage, ...(model !== undefined && { model }) }));
  const served = tier === undefined ? undefined : { service_tier: tier };
  return listBilledParts(OWN, { requested: {}, findModel }, { usage, served, parts });
}

test('each part of an answer has the price of the model that it names, or of the one that was asked', () => {
  const priced = bill([undefined, 'other', 'unpriced', 'unknown']);
  assert.deepEqual(
    priced.map(({ modelId, price }) => [modelId, price.version]),
    [OWN, OTHER, OWN, OWN].map(({ modelId, price }) => [modelId, price?.version]),
  );
});

test('a bill at the usual price of its own model has no parts in the log', () => {
  assert.equal(toLogParts(bill([undefined]), OWN), undefined);
  assert.equal(toLogParts([], OWN), undefined);
});

test('any other bill has its parts in the log, with what was used of each', () => {
  const own = {
    providerId: 'first',
    model: 'own',
    priceVersion: PRICE.version,
    factors: [],
    amount: '15000000',
  };
  const used = { inputUncached: 1, outputText: 7 };
  const part = { ...own, usage: used };
  const other = {
    ...part,
    providerId: 'second',
    model: 'other',
    priceVersion: OTHER.price?.version,
    amount: '31000000',
  };
  assert.deepEqual(toLogParts(bill([undefined, 'other']), OWN), [part, other]);
  assert.deepEqual(toLogParts(bill([undefined, undefined]), OWN), [part, part]);
  assert.deepEqual(toLogParts(bill(['other']), OWN), [other]);
  assert.deepEqual(toLogParts(bill([undefined]), undefined), [part]);
  assert.deepEqual(toLogParts(bill([undefined]), { ...OTHER, modelId: 'own' }), [part], 'its price changed');
});

test('a bill with a factor has it in the log, with what it adds', () => {
  const [part, ...others] = toLogParts(bill([undefined], 'priority'), OWN) ?? [];
  assert.deepEqual([part?.amount, others], ['30000000', []]);
  assert.deepEqual(
    part?.factors.map(({ name, value, factor, amount }) => [name, value, factor, amount]),
    [['service_tier', 'priority', '2', '15000000']],
  );
});
