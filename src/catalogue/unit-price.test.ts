import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseUsd } from '#base';
import { encodePrice, isFree, parsePrice, repriceTools, restorePrice } from './price.ts';
import { selectTools } from './hosted-tool.ts';
import { NO_UNITS, explainUnits, hasUnitPrices, priceUnits, readUnitPrices } from './unit-price.ts';

const usd = (text: string): bigint => parseUsd(text) ?? assert.fail(text);
const price = parsePrice({
  input: '0',
  output: '0',
  perImage: { '1024x1024': '0.04', default: '0.08' },
  perSecond: { '1280x720': '0.1' },
  inputAudioHour: '0.36',
});

test('images and seconds cost what their kind costs, else what any costs', () => {
  const counts = [
    { unit: 'image', kind: '1024x1024', count: 3 },
    { unit: 'image', kind: '512x512', count: 1 },
    { unit: 'video-second', kind: '1280x720', count: 8 },
  ] as const;
  assert.equal(priceUnits(price.units, counts), usd('0.12') + usd('0.08') + usd('0.8'));
});

test('audio is priced to the millisecond, and a fraction of a pico-USD is rounded up once', () => {
  assert.equal(priceUnits(price.units, [{ unit: 'input-audio-ms', count: 3_600_000 }]), usd('0.36'));
  assert.equal(priceUnits(price.units, [{ unit: 'input-audio-ms', count: 1 }]), 100_000n);
  assert.equal(
    priceUnits({ ...price.units!, inputAudioHour: 1n }, [{ unit: 'input-audio-ms', count: 1 }]),
    1n,
  );
});

test('a kind without a price is refused by name unless its quantity is 0', () => {
  const seconds = (count: number) => [{ unit: 'video-second', kind: '1920x1080', count }] as const;
  assert.throws(
    () => priceUnits(price.units, seconds(4)),
    /no price for the unit video-second of the kind 1920x1080/,
  );
  assert.throws(
    () => priceUnits(undefined, [{ unit: 'image', count: 1 }]),
    /no price for the unit image of the kind default/,
  );
  assert.deepEqual(explainUnits(price.units, seconds(0)), []);
});

test('a kind that is named like a member of every object has no price', () => {
  const named = parsePrice({ input: '0', output: '0', perImage: { small: '1' } });
  assert.throws(
    () => priceUnits(named.units, [{ unit: 'image', kind: 'constructor', count: 1 }]),
    /no price/,
  );
});

test('a unit price is not free, has its own version and survives storage', () => {
  const bare = parsePrice({ input: '0', output: '0' });
  assert.ok(isFree(bare) && !isFree(price));
  assert.notEqual(price.version, bare.version);
  assert.deepEqual(restorePrice(price.version, JSON.stringify(encodePrice(price))), price);
});

test('a price for any one unit charges by the unit; prices of nothing but zero by characters, searches and hours do not', () => {
  const has = (units: object): boolean =>
    hasUnitPrices(parsePrice({ input: '0', output: '0', ...units }).units);
  for (const units of [
    { perImage: { default: '0' } },
    { perSecond: { default: '1' } },
    { perSearch: '0.000001' },
    { perCharacter: '0.000001' },
    { inputAudioHour: '0.000001' },
    { perCharacter: '1', inputAudioHour: '1' },
    { perSearch: '1', perCharacter: '1' },
  ])
    assert.equal(has(units), true, JSON.stringify(units));
  assert.equal(has({}), false);
  assert.equal(has({ perSearch: '0', perCharacter: '0', inputAudioHour: '0' }), false);
});

test('invalid amounts are refused by name', () => {
  assert.throws(
    () => parsePrice({ input: '0', output: '0', perImage: { default: 'much' } }),
    /price\.perImage\.default: "much" is not a price in USD/,
  );
});

test('a price for hosted tools has no other unit prices', () => {
  const tools = selectTools([{ tool: 'web_search', per: 'call', usd: '0.01' }], 'm');
  const { units } = repriceTools(parsePrice({ input: '1', output: '1' }), tools);
  assert.equal(priceUnits(units, [{ unit: 'tool', kind: 'web_search', count: 1 }]), usd('0.01'));
  for (const kind of ['file_search', 'constructor'])
    assert.equal(priceUnits(units, [{ unit: 'tool', kind, count: 1 }]), 0n, 'an unpriced tool is free');
  assert.equal(hasUnitPrices(units), false);
});

test('unit prices exist as soon as one amount is written or one tool is priced', () => {
  const read = (units: object, tools?: Record<string, bigint>) =>
    readUnitPrices({ input: '0', output: '0', ...units }, tools);
  assert.equal(read({}), undefined);
  assert.deepEqual(read({ perSearch: '0' }), NO_UNITS);
  assert.deepEqual(read({}, { web_search: 1n }), { ...NO_UNITS, tools: { web_search: 1n } });
  const all = { perImage: {}, perSecond: {}, perSearch: '0', perCharacter: '0', inputAudioHour: '0' };
  assert.deepEqual(read(all), NO_UNITS);
  assert.equal(hasUnitPrices({ ...NO_UNITS, perSearch: 1n }), true);
});

test('a bill line has the price of one unit, or of an hour; what has no price is free', () => {
  const units = { ...NO_UNITS, perSearch: 5n, inputAudioHour: 7n };
  const search = { unit: 'search', count: 3 } as const;
  const hour = { unit: 'input-audio-ms', count: 3_600_000 } as const;
  assert.deepEqual(explainUnits(units, [search, hour]), [
    { ...search, price: 5n, per: 1, amount: 15n },
    { ...hour, price: 7n, per: 3_600_000, amount: 7n },
  ]);
  assert.equal(priceUnits(undefined, [search, hour, { unit: 'character', count: 9 }]), 0n);
});
