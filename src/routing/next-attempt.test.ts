import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mapping } from '#catalogue';
import { HealthRegistry } from './health-registry.ts';
import { chooseNext } from './next-attempt.ts';

const [one, two] = ['one', 'two'].map((providerId) => ({ providerId, externalId: 'm' }) as Mapping) as [
  Mapping,
  Mapping,
];

interface Situation {
  counts?: [Mapping, number][];
  repeatable?: Mapping[];
  registry?: HealthRegistry;
  waitedMs?: number;
  waitedNowMs?: number;
  nowMs?: number;
}

function choose({
  counts = [],
  repeatable = [],
  registry = new HealthRegistry(),
  waitedMs = 0,
  waitedNowMs = 0,
  nowMs = 0,
}: Situation): string {
  const tried = { counts: new Map(counts), repeatable: new Set(repeatable), waitedMs, waitedNowMs };
  const facts = {
    nowMs,
    healthOf: (mapping: Mapping) => registry.of(mapping),
    jitter: (ms: number) => ms + 1,
  };
  const next = chooseNext([one, two], tried, facts);
  if (!next) return 'none';
  return `${next.candidate.providerId} after ${next.waitMs}${next.isClosed ? ', chosen anew' : ''}`;
}

test('what was not tried comes first, in the order of the route', () => {
  assert.equal(choose({}), 'one after 0');
  assert.equal(choose({ counts: [[one, 1]], repeatable: [one] }), 'two after 0');
});

test('then what was tried least, after a wait that doubles, with some jitter', () => {
  const repeatable = [one, two];
  const after = (first: number, second: number): string =>
    choose({
      counts: [
        [one, first],
        [two, second],
      ],
      repeatable,
    });
  assert.equal(after(1, 1), 'one after 61');
  assert.equal(after(2, 1), 'two after 61');
  assert.equal(after(2, 2), 'one after 121');
  assert.equal(after(9, 9), 'one after 1001');
});

test('a wait for the end of a pause counts, so that a request that comes then is not sent first', () => {
  const tried: Situation = {
    counts: [
      [one, 1],
      [two, 2],
    ],
    repeatable: [one, two],
  };
  assert.equal(choose({ ...tried, waitedNowMs: 40 }), 'one after 21');
  assert.equal(choose({ ...tried, waitedNowMs: 1_000 }), 'one after 0');
});

test('what must not be repeated is not', () => {
  const counts: [Mapping, number][] = [
    [one, 1],
    [two, 1],
  ];
  assert.equal(choose({ counts, repeatable: [two] }), 'two after 61');
  assert.equal(choose({ counts }), 'none');
});

test('a mapping that is not to be called is passed over, and waited for if its pause ends soon', () => {
  const registry = new HealthRegistry();
  registry.of(one).fail(0, { pauseMs: 10, retryAfterMs: 2_000 });
  assert.equal(choose({ registry }), 'two after 0');
  registry.of(two).fail(0, { pauseMs: 10, retryAfterMs: 1_000 });
  assert.equal(choose({ registry }), 'two after 1000, chosen anew');
  assert.equal(choose({ registry, counts: [[two, 1]] }), 'one after 2000, chosen anew');
  assert.equal(choose({ registry, nowMs: 400 }), 'two after 600, chosen anew', 'what is left of its pause');
  registry.of(one).fail(0, { pauseMs: 10, retryAfterMs: 2_001 });
  assert.equal(choose({ registry, counts: [[two, 1]] }), 'none');
});

test('a mapping that recovers from a pause comes after those in good health', () => {
  const registry = new HealthRegistry();
  registry.of(one).fail(-1, { pauseMs: 10 });
  assert.equal(choose({ registry }), 'two after 0');
  assert.equal(choose({ registry, counts: [[two, 1]] }), 'one after 0');
});

test('mappings of which nothing is expected are waited for a second, then no more', () => {
  const registry = new HealthRegistry();
  for (const mapping of [one, two])
    for (let request = 0; request < 12; request += 1) registry.of(mapping).fail(-400, { pauseMs: 30_000 });
  assert.equal(choose({ registry }), 'one after 600, chosen anew');
  assert.equal(choose({ registry, waitedMs: 1_000 }), 'none');
});

test('a request that has failed elsewhere tries what fails every time only as its probe, and waits for that of another', () => {
  const registry = new HealthRegistry();
  for (let request = 0; request < 12; request += 1) registry.of(two).fail(-1_000, { pauseMs: 30_000 });
  assert.equal(registry.of(two).stateAt(0), 'due');
  assert.equal(choose({ registry, counts: [[one, 1]] }), 'two after 0');
  registry.of(two).probe(0);
  assert.equal(choose({ registry, counts: [[one, 1]] }), 'two after 50, chosen anew');
  assert.equal(choose({ registry, counts: [[one, 1]], waitedMs: 1_000 }), 'none');
  registry.of(two).begin(0);
  assert.equal(choose({ registry, counts: [[one, 1]] }), 'two after 0', 'it has begun to answer');
});

test('what may fail is tried before a last resort, which is tried when nothing else is left', () => {
  const registry = new HealthRegistry();
  for (let request = 0; request < 12; request += 1) registry.of(one).fail(-1_000, { pauseMs: 30_000 });
  assert.equal(choose({ registry }), 'two after 0');
  assert.equal(choose({ registry, counts: [[two, 1]] }), 'one after 0');
});
