import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createModelFile } from '../../../test/support/model-file.ts';
import { datePrices } from './dated-price.ts';
import type { CatalogueFiles, MappingFile, ModelFile } from '../schema/file-schema.ts';

const DAY = '2026-12-01';
const START = Date.parse(DAY);
const [INTRODUCTORY, USUAL] = [
  { input: '2', output: '10' },
  { input: '4', output: '20' },
];

const offer = (provider: string, more: Partial<MappingFile> = {}): MappingFile => ({
  provider,
  externalId: 'x',
  capabilities: [],
  price: INTRODUCTORY,
  ...more,
});

const model = (id: string, ...mappings: MappingFile[]): ModelFile => createModelFile(id, mappings);
const next = (from: string): Partial<MappingFile> => ({ nextPrice: { from, price: USUAL } });
const files: CatalogueFiles = {
  providers: [],
  models: [model('dated', offer('a', next(DAY)), offer('b')), model('later', offer('a', next('2027-01-01')))],
};

test('the next price replaces the price from the first millisecond of its day on', () => {
  const pricesAt = (now: number) =>
    datePrices(files, now).files.models.flatMap(({ mappings }) => mappings.map(({ price }) => price));
  assert.deepEqual(pricesAt(START - 1), [INTRODUCTORY, INTRODUCTORY, INTRODUCTORY]);
  assert.deepEqual(pricesAt(START), [USUAL, INTRODUCTORY, INTRODUCTORY]);
  assert.deepEqual(pricesAt(Infinity), [USUAL, INTRODUCTORY, USUAL]);
});

test('the earliest price to come is the next moment; what counts already is none', () => {
  assert.equal(datePrices(files, START - 1).nextAt, START);
  assert.equal(datePrices(files, START).nextAt, Date.parse('2027-01-01'));
  assert.equal(datePrices(files, Date.parse('2027-01-01')).nextAt, undefined);
  const [dated] = datePrices(files, START).files.models;
  assert.deepEqual(dated?.mappings[0], offer('a', { price: USUAL }));
});
