import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mapping } from '#catalogue';
import { explore } from './explore.ts';
import { HealthRegistry } from './health-registry.ts';

const [slow, other, third] = ['slow', 'other', 'third'].map(
  (providerId) => ({ providerId, externalId: 'm' }) as Mapping,
) as [Mapping, Mapping, Mapping];

/** The order of the providers, where the first takes so long and the budget allows an exploration or not. */
function lead(firstMs: number | undefined, registry = new HealthRegistry(), isAllowed = true): string[] {
  if (firstMs !== undefined) registry.of(slow).measure('firstEvent', 0, firstMs);
  const route = explore([slow, other, third], {
    healthOf: (mapping) => registry.of(mapping),
    nowMs: 0,
    spend: () => isAllowed,
  });
  return route.map(({ providerId }) => providerId);
}

const UNCHANGED = ['slow', 'other', 'third'];

test('where the first takes a second or more, a mapping of unknown speed leads, and the others follow', () => {
  assert.deepEqual(lead(1_000), ['other', 'slow', 'third']);
  assert.deepEqual(lead(999), UNCHANGED);
  assert.deepEqual(lead(undefined), UNCHANGED);
  assert.deepEqual(lead(1_000, undefined, false), UNCHANGED, 'only within the budget');
});

test('only a healthy mapping whose speed is unknown is explored', () => {
  const registry = new HealthRegistry();
  registry.of(other).measure('firstEvent', 0, 5_000);
  assert.deepEqual(lead(3_000, registry), ['third', 'slow', 'other']);
  registry.of(third).fail(0, { pauseMs: 1_000 });
  assert.deepEqual(lead(3_000, registry), UNCHANGED);
});

test('one that seems much faster is explored until three answers show it', () => {
  const registry = new HealthRegistry();
  registry.of(third).fail(0, { pauseMs: 1_000 });
  for (let answers = 1; answers < 5; answers += 1) {
    registry.of(other).measure('firstEvent', 0, 1_000);
    registry.of(slow).measure('firstEvent', 0, 2_500);
    const isKnown = registry.of(slow).isSlowerThan(registry.of(other));
    assert.equal(isKnown, answers >= 3);
    assert.deepEqual(lead(undefined, registry), ['other', 'slow', 'third'], String(answers));
  }
});

test('a request without mappings has nothing to explore', () => {
  const health = new HealthRegistry();
  assert.deepEqual(
    explore([], { healthOf: (mapping) => health.of(mapping), nowMs: 0, spend: () => true }),
    [],
  );
});
