import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mapping } from '#catalogue';
import type { Strategy } from './arrange.ts';
import { HealthRegistry } from './health-registry.ts';
import type { MappingHealth } from './mapping-health.ts';
import { explainFirst, rankMappings } from './rank-route.ts';

const NOW_MS = 1_000;

function answer(health: MappingHealth | undefined, startedMs: number): void {
  health?.begin(startedMs);
  health?.succeed(startedMs);
}

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

interface Situation {
  registry?: HealthRegistry;
  /** The provider that answered the session last. */
  home?: string;
  nowMs?: number;
  credentialId?: string;
  sort?: Strategy;
}

function rank(mappings: readonly Mapping[], situation: Situation = {}): string {
  const { registry = new HealthRegistry(), nowMs = NOW_MS, credentialId, sort, home } = situation;
  const session = { promptTokens: 100, cachedTokens: 0, outputTokens: 10 };
  const ranked = rankMappings(mappings, {
    healthOf: (mapping) => registry.of(mapping, credentialId),
    nowMs,
    format: 'messages',
    strategy: sort ?? 'balanced',
    session: home === undefined ? undefined : { ...session, home: { providerId: home, externalId: 'm' } },
  });
  return ranked.map(({ mapping }) => mapping.providerId).join(' ');
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

test('of equal prices the one that answered the session last wins, wherever it is listed', () => {
  const [a, b] = ['a', 'b'].map((id) => {
    const mapping = createMapping(id);
    return { ...mapping, price: { parts: { ...mapping.price?.parts, inputCacheRead: 1n } } } as Mapping;
  }) as [Mapping, Mapping];
  for (const route of [
    [a, b],
    [b, a],
  ])
    assert.deepEqual([rank(route, { home: 'a' }), rank(route, { home: 'b' })], ['a b', 'b a']);
});

test('of equal prices the caller’s own format wins, else the catalogue’s order stays', () => {
  const native = createMapping('native', { format: 'messages' });
  assert.equal(rank([createMapping('one'), createMapping('two'), native]), 'native one two');
  assert.equal(rank([native, createMapping('one')]), 'native one');
  assert.equal(rank([native, createMapping('cheap', { input: 0n })]), 'cheap native');
});

test('what is deprecated comes behind what is not, and what failed behind both, until its pause is over', () => {
  const registry = new HealthRegistry();
  const old = createMapping('old', { input: 0n, stability: 'deprecated' });
  const expensive = createMapping('costly', { input: 9n });
  assert.equal(rank([old, expensive], { registry }), 'costly old');
  registry.of(expensive).fail(NOW_MS, { pauseMs: 100 });
  assert.equal(rank([expensive, old], { registry, nowMs: NOW_MS + 99 }), 'old costly');
  assert.equal(rank([expensive, old], { registry, nowMs: NOW_MS + 100 }), 'costly old');
});

test('after a pause a mapping is tried by one request, and the others go elsewhere until it is trusted', () => {
  const registry = new HealthRegistry();
  const [one, two] = [createMapping('one'), createMapping('two')];
  registry.of(one).fail(NOW_MS, { pauseMs: 100 });
  const nowMs = NOW_MS + 100;
  assert.equal(rank([one, two], { registry, nowMs }), 'one two');
  registry.of(one).probe(nowMs);
  assert.equal(rank([one, two], { registry, nowMs }), 'two one');
  for (let probe = 0; probe < 9; probe += 1) answer(registry.of(one), nowMs);
  assert.equal(rank([one, two], { registry, nowMs }), 'one two');
});

test('where all have failed, the one that fails least comes first', () => {
  const registry = new HealthRegistry();
  const [one, two] = [createMapping('one'), createMapping('two', { input: 9n })];
  for (let time = 0; time < 5; time += 1) registry.of(one).fail(NOW_MS, { pauseMs: 100 });
  answer(registry.of(two), NOW_MS);
  registry.of(two).fail(NOW_MS, { pauseMs: 100 });
  assert.equal(rank([one, two], { registry }), 'two one');
});

test('a mapping much slower than another is ranked behind it, one a little slower is not', () => {
  const [slow, fast] = [createMapping('slow'), createMapping('fast', { input: 9n })];
  const rankTimes = (slowMs: number, fastMs: number, samples: number): string => {
    const registry = new HealthRegistry();
    for (let sample = 0; sample < samples; sample += 1) {
      registry.of(slow).firstEvent.add(slowMs);
      registry.of(fast).firstEvent.add(fastMs);
    }
    return rank([slow, fast], { registry });
  };
  assert.equal(rankTimes(3_000, 100, 1), 'fast slow');
  assert.equal(rankTimes(900, 300, 1), 'slow fast', 'too few samples');
  assert.equal(rankTimes(900, 300, 3), 'fast slow');
  assert.equal(rankTimes(550, 300, 3), 'slow fast');
  assert.equal(rankTimes(200, 10, 3), 'slow fast', 'too little to notice');
});

test('a slow model is not held back by a faster one that is only to be tried after it', () => {
  const registry = new HealthRegistry();
  const [slow, fast] = [createMapping('slow'), { ...createMapping('fast'), modelId: 'other' }] as [
    Mapping,
    Mapping,
  ];
  registry.of(slow).measure('firstEvent', NOW_MS, 5_000);
  registry.of(fast).measure('firstEvent', NOW_MS, 100);
  rank([{ ...slow, modelId: 'one' }, fast], { registry });
  assert.equal(registry.of(slow).stateAt(NOW_MS), 'healthy');
  rank([slow, { ...fast, modelId: slow.modelId }], { registry });
  assert.equal(registry.of(slow).stateAt(NOW_MS), 'poor');
});

test('the reason of the first says what put it there', () => {
  const registry = new HealthRegistry();
  const explain = (mappings: Mapping[], strategy: Strategy = 'balanced', nowMs = NOW_MS): string => {
    const ranked = rankMappings(mappings, {
      healthOf: (mapping) => registry.of(mapping),
      nowMs,
      format: 'messages',
      strategy,
    });
    const first = ranked[0]?.mapping ?? assert.fail();
    return `${first.providerId} ${explainFirst(ranked, first, strategy)}`;
  };
  const [cheap, expensive] = [createMapping('cheap'), createMapping('expensive', { input: 2n })];
  assert.equal(explain([cheap]), 'cheap only');
  assert.equal(explain([expensive, cheap]), 'cheap cheapest');
  assert.equal(explain([expensive, cheap], 'uptime'), 'cheap uptime');
  registry.of(expensive).fail(NOW_MS, { pauseMs: 1_000 });
  assert.equal(explain([expensive, cheap]), 'cheap cheapest', 'it would come first anyway');
  registry.of(cheap).fail(NOW_MS + 5_000, { pauseMs: 1_000 });
  registry
    .of(expensive)
    .restore({ isTrusted: true, failedShare: 0, pausedMs: 0, hasRetryAfter: false }, NOW_MS);
  assert.equal(explain([expensive, cheap], 'balanced', NOW_MS + 5_000), 'expensive health');
  assert.equal(explain([expensive, cheap], 'balanced', NOW_MS + 60_000), 'cheap probe');
});

test('a caller can have the fastest first, by first event or by speed, or the cheapest however slow', () => {
  const registry = new HealthRegistry();
  const [one, two] = [createMapping('one'), createMapping('two', { input: 9n })];
  for (let sample = 0; sample < 3; sample += 1) {
    registry.of(one).firstEvent.add(800);
    registry.of(one).perToken.add(1);
    registry.of(two).firstEvent.add(700);
    registry.of(two).perToken.add(2);
  }
  assert.equal(rank([one, two], { registry }), 'one two');
  assert.equal(rank([one, two], { registry, sort: 'latency' }), 'two one');
  assert.equal(rank([one, two], { registry, sort: 'throughput' }), 'one two');
  for (let sample = 0; sample < 9; sample += 1) registry.of(one).firstEvent.add(9_000);
  assert.equal(rank([one, two], { registry, sort: 'price' }), 'one two');
  assert.equal(rank([one, two], { registry }), 'two one');
});

test('by uptime, the one with the fewest failures comes first, and after its pause the other is tried once', () => {
  const registry = new HealthRegistry();
  const mappings = [createMapping('cheap'), createMapping('steady', { input: 2n })];
  const [cheap, steady] = mappings.map((mapping) => registry.of(mapping));
  for (let count = 0; count < 20; count += 1) {
    answer(cheap, NOW_MS);
    answer(steady, NOW_MS);
  }
  assert.equal(rank(mappings, { registry, sort: 'uptime' }), 'cheap steady');
  cheap?.fail(NOW_MS, { pauseMs: 1_000, isSporadic: true });
  for (let count = 0; count < 3; count += 1) answer(cheap, NOW_MS);
  assert.equal(rank(mappings, { registry }), 'cheap steady', 'too little for the default');
  assert.equal(rank(mappings, { registry, sort: 'uptime' }), 'steady cheap');
  for (let count = 0; count < 3; count += 1) cheap?.fail(NOW_MS, { pauseMs: 1_000 });
  assert.equal(rank(mappings, { registry, sort: 'uptime' }), 'steady cheap');
  assert.equal(
    rank(mappings, { registry, nowMs: NOW_MS + 60_000, sort: 'uptime' }),
    'cheap steady',
    'a probe',
  );
});

test('a credential that failed is ranked last, another’s failures of the same mapping count nothing', () => {
  const registry = new HealthRegistry();
  const [one, two] = [createMapping('one'), createMapping('two')];
  registry.of(one, 'pk_1').fail(NOW_MS, { pauseMs: 100 });
  assert.equal(rank([one, two], { registry }), 'one two');
  assert.equal(rank([one, two], { registry, credentialId: 'pk_1' }), 'two one');
  assert.equal(rank([one, two], { registry, credentialId: 'pk_2' }), 'one two');
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

test('what fails every time is asked every second only where nothing better is left, else after its whole pause', () => {
  const [cheap, costly] = [createMapping('cheap'), createMapping('costly', { input: 2n })];
  const registry = new HealthRegistry();
  for (let request = 0; request < 12; request += 1) registry.of(cheap).fail(0, { pauseMs: 8_000 });
  assert.equal(registry.of(cheap).stateAt(1_000), 'due');
  assert.equal(rank([cheap, costly], { registry, nowMs: 1_000 }), 'costly cheap');
  assert.equal(rank([cheap, costly], { registry, nowMs: 7_999 }), 'costly cheap');
  assert.equal(rank([cheap, costly], { registry, nowMs: 8_000 }), 'cheap costly');
  for (let request = 0; request < 12; request += 1) registry.of(costly).fail(0, { pauseMs: 4_000 });
  assert.equal(rank([cheap, costly], { registry, nowMs: 1_000 }), 'cheap costly', 'both are last resorts');
});

test('each provider comes first as often as its weight says, the same for the same seed', () => {
  const [a, b, c] = [createMapping('A'), createMapping('b', { input: 2n }), createMapping('c')];
  const registry = new HealthRegistry();
  const weights = { a: 1, b: 3, c: 0 };
  const reasons = new Set<string>();
  const order = (seed: string): string[] => {
    const shares = { weights, seed };
    const facts = { nowMs: NOW_MS, format: 'chat', strategy: 'balanced', shares } as const;
    const ranked = rankMappings([c, a, b], { ...facts, healthOf: (mapping) => registry.of(mapping) });
    const [{ mapping: first } = assert.fail('nothing is ranked')] = ranked;
    reasons.add(explainFirst(ranked, first, 'weights'));
    return ranked.map(({ mapping }) => mapping.providerId);
  };
  const seeds = Array.from({ length: 4_000 }, (_, seed) => `session ${seed}`);
  const firsts = seeds.map((seed) => order(seed)[0]);
  const share = firsts.filter((first) => first === 'b').length / seeds.length;
  assert.ok(share > 0.72 && share < 0.78, `three of four, not ${share}`);
  assert.deepEqual(
    firsts,
    seeds.map((seed) => order(seed)[0]),
  );
  assert.ok(seeds.every((seed) => order(seed)[2] === 'c'));
  assert.deepEqual(reasons, new Set(['weights']));
  for (let call = 0; call < 5; call += 1) registry.of(b).fail(NOW_MS, { pauseMs: 10_000 });
  assert.ok(seeds.every((seed) => order(seed)[0] === 'A'));
});

test('what has failed once goes before what fails every time, and that before what is not to be called', () => {
  const registry = new HealthRegistry();
  const [closed, last, poor] = ['closed', 'last', 'poor'].map((id, input) =>
    createMapping(id, { input: BigInt(input) }),
  ) as [Mapping, Mapping, Mapping];
  registry.of(closed).fail(0, { pauseMs: 8_000, retryAfterMs: 8_000 });
  for (let request = 0; request < 12; request += 1) registry.of(last).fail(0, { pauseMs: 8_000 });
  registry.of(poor).fail(0, { pauseMs: 8_000 });
  assert.equal(rank([closed, last, poor], { registry }), 'poor last closed');
});

test('each of three models is compared with none of another', () => {
  const registry = new HealthRegistry();
  const mappings = ['slow', 'fast', 'middle'].map((id) => ({ ...createMapping(id), modelId: id }));
  for (const [at, ms] of [5_000, 100, 1_000].entries())
    registry.of(mappings[at] ?? assert.fail()).measure('firstEvent', NOW_MS, ms);
  assert.equal(rank(mappings, { registry }), 'slow fast middle');
});

test('shares of failures count in tenths, by uptime in percent', () => {
  const rankShares = (cheap: number, costly: number, sort?: Strategy): string => {
    const registry = new HealthRegistry();
    const report = { isTrusted: sort === 'uptime', pausedMs: 5_000, hasRetryAfter: false };
    const mappings = [createMapping('cheap'), createMapping('costly', { input: 2n })];
    for (const [at, failedShare] of [cheap, costly].entries())
      registry.of(mappings[at] ?? assert.fail()).restore({ ...report, failedShare }, NOW_MS);
    return rank(mappings, { registry, ...(sort && { sort }) });
  };
  assert.deepEqual([rankShares(0.83, 0.76), rankShares(0.83, 0.74)], ['cheap costly', 'costly cheap']);
  assert.equal(rankShares(0.104, 0.096, 'uptime'), 'cheap costly');
  assert.equal(rankShares(0.106, 0.104, 'uptime'), 'costly cheap');
});

test('the speed of an answer counts only where it is asked for', () => {
  const registry = new HealthRegistry();
  const mappings = [createMapping('cheap'), createMapping('costly', { input: 2n })];
  for (const [at, ms] of [20, 10].entries())
    registry.of(mappings[at] ?? assert.fail()).measure('perToken', NOW_MS, ms);
  for (const sort of ['balanced', 'price'] as const)
    assert.equal(rank(mappings, { registry, sort }), 'cheap costly');
  assert.equal(rank(mappings, { registry, sort: 'throughput' }), 'costly cheap');
});
