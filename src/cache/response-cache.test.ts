import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KeyValue } from '#storage';
import type { CachedAnswer } from './response-cache.ts';
import { ResponseCache, createCacheKey } from './response-cache.ts';

const tenant = { organizationId: 'org_1', projectId: 'prj_1' };
const answer: CachedAnswer = {
  contentType: 'application/json',
  body: '{}',
  finish: 'stop',
  providerId: 'p',
  externalId: 'm',
};

function createStore(): KeyValue & { values: Map<string, string> } {
  const values = new Map<string, string>();
  return {
    kind: 'memory',
    values,
    get: async (key) => values.get(key),
    set: async (key, value) => void values.set(key, value),
    ping: async () => undefined,
    close: async () => undefined,
  };
}

const LISTED = 5;

/** Every part as a list of texts: organization, project, endpoint, two headers, body. */
function keyOf(parts: readonly string[]): string {
  const [organizationId = '', projectId = '', endpoint = '', ...rest] = parts;
  const headers = rest.slice(0, LISTED - 3);
  const body = Buffer.from(rest.at(-1) ?? '');
  return createCacheKey({ tenant: { organizationId, projectId }, endpoint, headers, body });
}

const anyText = fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('', ':', '1:', '1:a', '2:'));
const anyParts = fc.array(anyText, { minLength: LISTED + 1, maxLength: LISTED + 1 });

test('requests that differ in one part have different keys', () => {
  const anyPlace = fc.nat({ max: LISTED });
  fc.assert(
    fc.property(anyParts, anyPlace, anyText, (parts, at, other) => {
      assert.equal(keyOf(parts) === keyOf(parts.with(at, other)), parts[at] === other);
    }),
    { numRuns: 1_000 },
  );
});

test('moving characters from one part to the next changes the key', () => {
  const anyPlace = fc.nat({ max: LISTED - 1 });
  fc.assert(
    fc.property(anyParts, anyPlace, fc.string({ minLength: 1, maxLength: 3 }), (parts, at, moved) => {
      const before = parts.with(at, (parts[at] ?? '') + moved);
      const after = parts.with(at + 1, moved + (parts[at + 1] ?? ''));
      assert.notEqual(keyOf(before), keyOf(after));
    }),
    { numRuns: 1_000 },
  );
});

test('past a bound no request waits for a flight', async () => {
  const cache = new ResponseCache(createStore());
  assert.equal(await cache.join('key', 10_000), undefined);
  const followers = Array.from({ length: 1_000 }, () => cache.join('key', 10_000));
  assert.equal(await cache.join('key', 10_000), 'none');
  await cache.release('key', { answer, tenant, ttlSeconds: 60 });
  for (const given of await Promise.all(followers)) assert.deepEqual(given, answer);
});

test('a stored answer is only given to its tenant, even under the same key', async () => {
  const cache = new ResponseCache(createStore());
  await cache.release('key', { answer, tenant, ttlSeconds: 60 });
  assert.deepEqual(await cache.find('key', tenant), answer);
  assert.equal(await cache.find('key', { ...tenant, projectId: 'prj_2' }), undefined);
  assert.equal(await cache.find('key', { ...tenant, organizationId: 'org_2' }), undefined);
});

test('identical requests under way share one generation', async () => {
  const cache = new ResponseCache(createStore());
  assert.equal(await cache.join('key', 1000), undefined);
  const followers = Array.from({ length: 50 }, () => cache.join('key', 1000));
  await cache.release('key', { answer, tenant, ttlSeconds: 60 });
  for (const given of await Promise.all(followers)) assert.deepEqual(given, answer);
});

test('where a leader fails one follower leads in its place; where that fails too, the rest run on their own', async () => {
  const cache = new ResponseCache(createStore());
  await cache.join('key', 1000);
  const [second, ...rest] = Array.from({ length: 3 }, () => cache.join('key', 1000));
  await cache.release('key');
  assert.equal(await second, undefined);
  await cache.release('key');
  assert.deepEqual(await Promise.all(rest), ['none', 'none']);
  assert.equal(await cache.join('key', 1000), undefined);
});

test('followers of a failed leader share what the next one is given', async () => {
  const cache = new ResponseCache(createStore());
  await cache.join('key', 1000);
  const [second, third] = [cache.join('key', 1000), cache.join('key', 1000)];
  await cache.release('key');
  assert.equal(await second, undefined);
  await cache.release('key', { answer, tenant, ttlSeconds: 60 });
  assert.deepEqual(await third, answer);
});

test('a follower waits no longer than its limit', async () => {
  const cache = new ResponseCache(createStore());
  await cache.join('key', 1000);
  assert.equal(await cache.join('key', 5), 'none');
});

test('a follower that has left waits no longer', async () => {
  const cache = new ResponseCache(createStore());
  const [gone, early] = [new AbortController(), AbortSignal.abort()];
  await cache.join('key', 10_000);
  const follower = cache.join('key', 10_000, gone.signal);
  gone.abort();
  assert.deepEqual(await Promise.all([follower, cache.join('key', 10_000, early)]), ['none', 'none']);
});

test('an answer larger than the limit is shared with followers but not stored', async () => {
  const store = createStore();
  const cache = new ResponseCache(store);
  const large = { ...answer, body: 'x'.repeat(1024 * 1024 + 1) };
  await cache.join('key', 1000);
  const follower = cache.join('key', 1000);
  await cache.release('key', { answer: large, tenant, ttlSeconds: 60 });
  assert.deepEqual(await follower, large);
  assert.equal(store.values.size, 0);
});
