import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Mapping } from '#catalogue';
import { HealthRegistry } from './health-registry.ts';
import { rankMappings } from './rank-route.ts';
import { type Session, estimateCost, findCached } from './session.ts';

const NOW_MS = 1_000;

interface Prices {
  input: number;
  cached: number;
  output: number;
}

function createMapping(providerId: string, { input, cached, output }: Prices): Mapping {
  const parts = { inputUncached: BigInt(input), inputCacheRead: BigInt(cached), outputText: BigInt(output) };
  return {
    providerId,
    externalId: 'm',
    format: 'chat',
    stability: 'stable',
    price: { parts },
  } as unknown as Mapping;
}

function rank(mappings: readonly Mapping[], session: Session, registry = new HealthRegistry()): string {
  const ranked = rankMappings(mappings, {
    healthOf: (mapping) => registry.of(mapping),
    nowMs: NOW_MS,
    format: 'chat',
    strategy: 'balanced',
    session,
  });
  return ranked.map(({ mapping }) => mapping.providerId).join(' ');
}

const anyPrices = fc.record({
  input: fc.integer({ min: 1, max: 100 }),
  cached: fc.integer({ min: 0, max: 100 }),
  output: fc.integer({ min: 0, max: 500 }),
});

test('property: the home comes first exactly while what its cache saves is at least the difference in price', () => {
  fc.assert(
    fc.property(
      fc.record({
        atHome: anyPrices,
        elsewhere: anyPrices,
        promptTokens: fc.integer({ min: 1_000, max: 100_000 }),
        cached: fc.integer({ min: 0, max: 100_000 }),
        outputTokens: fc.integer({ min: 0, max: 5_000 }),
      }),
      ({ atHome, elsewhere, promptTokens, cached, outputTokens }) => {
        const cachedTokens = Math.min(cached, promptTokens);
        const session = {
          home: { providerId: 'home', externalId: 'm' },
          promptTokens,
          cachedTokens,
          outputTokens,
        };
        const saving = cachedTokens * (atHome.input - atHome.cached);
        const difference =
          promptTokens * (atHome.input - elsewhere.input) + outputTokens * (atHome.output - elsewhere.output);
        const mappings = [createMapping('other', elsewhere), createMapping('home', atHome)];
        assert.equal(rank(mappings, session), saving >= difference ? 'home other' : 'other home');
      },
    ),
  );
});

test('an unhealthy home is left at once', () => {
  const session = {
    home: { providerId: 'home', externalId: 'm' },
    promptTokens: 10_000,
    cachedTokens: 9_000,
    outputTokens: 100,
  };
  const mappings = [
    createMapping('home', { input: 2, cached: 0, output: 2 }),
    createMapping('other', { input: 1, cached: 1, output: 1 }),
  ];
  const registry = new HealthRegistry();
  assert.equal(rank(mappings, session, registry), 'home other');
  registry.of({ providerId: 'home', externalId: 'm' }).fail(NOW_MS, { pauseMs: 1_000 });
  assert.equal(rank(mappings, session, registry), 'other home');
});

test('a mapping without a price costs nothing, and no more is cached than the prompt has', () => {
  const session = {
    home: { providerId: 'home', externalId: 'm' },
    promptTokens: 10,
    cachedTokens: 50,
    outputTokens: 1,
  };
  assert.equal(estimateCost(session, createMapping('home', { input: 5, cached: 1, output: 7 })), 17n);
  const elsewhere = createMapping('other', { input: 5, cached: 1, output: 7 });
  assert.equal(estimateCost(session, elsewhere), 57n, 'elsewhere nothing is cached');
  assert.equal(estimateCost(session, { providerId: 'home', externalId: 'm' } as Mapping), 0n);
});

test('a session has its prompt cached only where the account that answered it is called first', () => {
  const prices = { input: 1, cached: 0, output: 1 };
  const mappings = [createMapping('home', prices), createMapping('other', prices)];
  const home = { providerId: 'home', externalId: 'm', account: 'one' };
  const session = { home, promptTokens: 10, cachedTokens: 5, outputTokens: 1 };
  const find = (account: string | undefined, route = mappings): Session | undefined =>
    findCached(session, route, ({ providerId }) => (providerId === 'home' ? account : 'another'));
  assert.equal(find('one'), session);
  assert.equal(find('two'), undefined);
  assert.equal(find(undefined), undefined);
  assert.equal(find('two', mappings.slice(1)), session, 'its home is not called');
  assert.equal(
    findCached(undefined, mappings, () => 'one'),
    undefined,
  );
});
