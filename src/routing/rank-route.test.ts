import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mapping } from '#catalogue';
import { toHealthKey } from './health.ts';
import { rankRoute } from './rank-route.ts';

const NOW_MS = 1_000;

interface Traits {
  input?: bigint;
  output?: bigint;
  format?: Mapping['format'];
  stability?: Mapping['stability'];
}

function createMapping(providerId: string, traits: Traits = {}): Mapping {
  const { input = 1n, output = 1n, format = 'chat', stability = 'stable' } = traits;
  const price = { parts: { inputUncached: input, outputText: output } };
  return { providerId, externalId: 'm', format, stability, price } as unknown as Mapping;
}

interface Circumstances {
  coolUntil?: Record<string, number>;
  credentialIdOf?: (mapping: Mapping) => string | undefined;
}

function rank(mappings: readonly Mapping[], { coolUntil = {}, credentialIdOf }: Circumstances = {}): string {
  const ranked = rankRoute(mappings, {
    health: new Map(Object.entries(coolUntil)),
    nowMs: NOW_MS,
    format: 'messages',
    ...(credentialIdOf && { credentialIdOf }),
  });
  return ranked.map(({ providerId }) => providerId).join(' ');
}

test('the cheapest comes first; input weighs three times what output weighs', () => {
  assert.equal(rank([createMapping('costly', { input: 2n }), createMapping('cheap')]), 'cheap costly');
  assert.equal(rank([createMapping('cheap'), createMapping('costly', { output: 2n })]), 'cheap costly');
  const [input, output] = [createMapping('input', { input: 2n }), createMapping('output', { output: 3n })];
  assert.equal(rank([input, output]), 'output input');
  assert.equal(rank([output, input]), 'output input');
  assert.equal(
    rank([createMapping('a', { input: 2n }), createMapping('b', { output: 4n })]),
    'a b',
    'as costly',
  );
  assert.equal(
    rank([createMapping('b', { output: 4n }), createMapping('a', { input: 2n })]),
    'b a',
    'as costly',
  );
});

test('of equal prices the caller’s own format wins, else the catalogue’s order stays', () => {
  const native = createMapping('native', { format: 'messages' });
  assert.equal(rank([createMapping('one'), createMapping('two'), native]), 'native one two');
  assert.equal(rank([native, createMapping('one')]), 'native one');
  assert.equal(rank([native, createMapping('cheap', { input: 0n })]), 'cheap native');
});

test('what is deprecated comes behind what is not, and what cools down behind both, until its time is over', () => {
  const old = createMapping('old', { input: 0n, stability: 'deprecated' });
  const expensive = createMapping('costly', { input: 9n });
  assert.equal(rank([old, expensive]), 'costly old');
  const key = toHealthKey(expensive);
  assert.equal(rank([expensive, old], { coolUntil: { [key]: NOW_MS + 1 } }), 'old costly');
  assert.equal(rank([expensive, old], { coolUntil: { [key]: NOW_MS } }), 'costly old');
});

test('a credential that failed is ranked last, another’s failures of the same mapping count nothing', () => {
  const [one, two] = [createMapping('one'), createMapping('two')];
  const coolUntil = { [toHealthKey(one, 'pk_1')]: NOW_MS + 1 };
  assert.equal(rank([one, two], { coolUntil }), 'one two');
  assert.equal(rank([one, two], { coolUntil, credentialIdOf: () => 'pk_1' }), 'two one');
  assert.equal(rank([one, two], { coolUntil, credentialIdOf: () => 'pk_2' }), 'one two');
});

test('a mapping without a price is ranked as free, and the given list is not modified', () => {
  const free = createMapping('free');
  delete free.price;
  const route = [createMapping('priced'), free];
  assert.equal(rank(route), 'free priced');
  assert.equal(rank([free, createMapping('zero', { input: 0n, output: 0n })]), 'free zero');
  assert.deepEqual(
    route.map(({ providerId }) => providerId),
    ['priced', 'free'],
  );
  assert.equal(rank([]), '');
});
