import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mapping } from '#catalogue';
import { HealthBook } from './health-book.ts';

const MOST_ENTRIES = 10_000;
const createMapping = (externalId: string) => ({ providerId: 'acme', externalId }) as Mapping;

test('a failure is remembered until the mapping answers, for each credential apart', () => {
  const book = new HealthBook();
  book.coolDown(createMapping('m'), 5);
  book.coolDown(createMapping('m'), 7, 'pk_1');
  assert.deepEqual(Object.fromEntries(book.health), { 'acme/m': 5, 'acme/m@pk_1': 7 });
  book.warmUp(createMapping('m'));
  assert.deepEqual(Object.fromEntries(book.health), { 'acme/m@pk_1': 7 });
});

test('at most 10,000 failures are remembered, so that models of many names cannot fill the memory', () => {
  const book = new HealthBook();
  for (let entry = 0; entry < MOST_ENTRIES; entry += 1) book.coolDown(createMapping(`m${entry}`), 5);
  assert.equal(book.health.size, MOST_ENTRIES);
  book.coolDown(createMapping('last'), 5);
  assert.deepEqual(Object.fromEntries(book.health), { 'acme/last': 5 });
});
