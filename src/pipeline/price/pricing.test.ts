import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Mapping, parsePrice, priceParts } from '#catalogue';
import { createUsage } from '#canonical';
import type { BilledPart } from '../request/trip.ts';
import { PLAIN_PRICING, listBilledParts, toLogParts } from './pricing.ts';

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
  return listBilledParts(OWN, { requested: {}, findModel }, { served, parts });
}

test('each part of an answer has the price of the model that it names, or of the one that was asked', () => {
  const priced = bill([undefined, 'other', 'unpriced', 'unknown']);
  assert.deepEqual(
    priced.map(({ modelId, price, usage: used }) => [modelId, price.version, used.outputText]),
    [
      ['own', PRICE.version, 21],
      ['other', OTHER.price?.version, 7],
    ],
  );
});

test('the long-context price is that of each reading of a prompt, not of their sum', () => {
  const tiers = [{ aboveInputTokens: 100, input: '5', output: '10' }];
  const pay = (request: string, ...inputs: number[]): [bigint, ...number[]] => {
    const price = parsePrice({ input: '1', output: '2', request, tiers });
    const mapping = { modelId: 'own', price } as Mapping;
    const parts = inputs.map((inputUncached) => ({ usage: createUsage({ inputUncached, outputText: 1 }) }));
    const bill = listBilledParts(mapping, PLAIN_PRICING, { served: undefined, parts });
    return [priceParts(bill) / 1_000_000n, ...bill.map(({ usage: { inputUncached: input } }) => input)];
  };
  assert.deepEqual(pay('0', 60, 40), [104n, 100]);
  assert.deepEqual(pay('0', 60, 41), [105n, 60, 41]);
  assert.deepEqual(pay('0', 60, 80, 101, 200), [1_669n, 60, 80, 301]);
  assert.deepEqual(pay('1', 60, 80), [1_000_720n, 140], 'the price of a request is that of a whole one');
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
