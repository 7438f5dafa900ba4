import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mood, Period, World } from './provider-world.ts';
import { findBroken } from './world-laws.ts';
import type { WorldRequest } from './world-run.ts';

const END_MS = 100_000;

function createProvider(...moods: Mood[]) {
  const lengthMs = END_MS / moods.length;
  const periods: Period[] = moods.map((mood, at) => ({
    mood,
    degree: 1,
    fromMs: at * lengthMs,
    toMs: at === moods.length - 1 ? Infinity : (at + 1) * lengthMs,
  }));
  return { id: 'p', firstMs: 100, perTokenMs: 10, periods };
}

function createWorld(...providers: World['providers']): World {
  return { seed: 0, providers, arrivalsMs: [], calmMs: 0, endMs: END_MS };
}

/** One request per second at the cheapest, each changed by a test. */
function createRequests(change: (second: number) => Partial<WorldRequest> = () => ({})): WorldRequest[] {
  return Array.from({ length: END_MS / 1_000 }, (_, second) => {
    const atMs = second * 1_000;
    const request = {
      atMs,
      endedMs: atMs + 500,
      outcome: 'answered' as const,
      home: 0,
      called: [0],
      answeredBy: 0,
    };
    const changed: Omit<WorldRequest, 'calledMs' | 'freeMs'> = { ...request, ...change(second) };
    return { ...changed, calledMs: changed.called.map(() => atMs), freeMs: [] };
  });
}

const GOOD = createWorld(createProvider('good'), createProvider('good'));

test('requests that the cheapest answers at once break no law', () => {
  assert.deepEqual(findBroken(GOOD, createRequests()), []);
});

test('too many calls are seen, of one request and of all', () => {
  const many = createRequests((second) =>
    second === 50 ? { called: Array.from({ length: 7 }, () => 0) } : {},
  );
  assert.match(findBroken(createWorld(createProvider('flaky')), many).join(), /^7 calls for one request$/);
  const double = createRequests(() => ({ called: [0, 1] }));
  assert.match(findBroken(GOOD, double).join(), /^200 calls for 100 requests at good providers$/);
  const triple = createRequests(() => ({ called: [0, 1, 0] }));
  assert.match(findBroken(createWorld(createProvider('flaky')), triple).join(), /calls more than the budget/);
});

test('failures beside a provider that has been good for long are seen, cuts are none', () => {
  const troubled = createWorld(createProvider('broken', 'good'), createProvider('flaky'));
  const failFrom = (from: number, to: number, outcome: WorldRequest['outcome'] = 'failed') =>
    findBroken(
      troubled,
      createRequests((second) => (second >= from && second <= to ? { outcome } : {})),
    ).join();
  assert.equal(failFrom(10, 14), '');
  assert.equal(failFrom(55, 60), '', 'good for less than twenty seconds');
  assert.equal(failFrom(75, 77), '', 'not for long');
  assert.match(failFrom(75, 78), /^for 3 s every request failed beside/);
  assert.match(failFrom(75, 78, 'left'), /^for 3 s every request failed beside/);
  assert.equal(failFrom(75, 78, 'cut'), '');
});

test('too few answers are seen where a provider could have given them', () => {
  const half = createRequests((second) => ({ outcome: second % 2 === 0 ? 'answered' : 'failed' }));
  assert.match(findBroken(GOOD, half).join(), /^only 50 % served of what could be$/);
  assert.equal(findBroken(createWorld(createProvider('broken')), half).join(), '');
});

test('the slower providers begin, the later a silent one is noticed', () => {
  const slow = { ...createProvider('broken', 'good'), firstMs: 1_200 };
  const failing = createRequests((second) => (second >= 75 && second <= 80 ? { outcome: 'left' } : {}));
  assert.deepEqual(findBroken(createWorld(slow), failing), []);
  assert.match(findBroken(createWorld({ ...slow, firstMs: 900 }), failing).join(), /^for 5 s/);
});

test('where all requests come at a few moments, the cheapest need not be back', () => {
  const troubled = createWorld(createProvider('flaky'), createProvider('good'));
  const away = createRequests((second) => ({
    atMs: Math.floor(second / 10) * 10_000,
    ...(second > 30 && { home: 1, called: [1], answeredBy: 1 }),
  }));
  assert.deepEqual(findBroken(troubled, away), []);
});

test('traffic that does not come back, or goes to and fro beside a good provider, is seen; a probe is neither', () => {
  const troubled = createWorld(createProvider('flaky'), createProvider('good'));
  const away = createRequests((second) => (second > 30 ? { home: 1, called: [1], answeredBy: 1 } : {}));
  assert.match(findBroken(troubled, away).join(), /^the cheapest answers only 0 % in the calm$/);
  assert.match(
    findBroken(GOOD, away).join(),
    /only 31 % of routes begin with the cheapest of good providers$/,
  );
  const flapping = createRequests((second) => ({ home: Math.floor(second / 10) % 2 }));
  assert.match(findBroken(troubled, flapping).join(), /^9 switches at 0 changes$/);
  const bad = createWorld(createProvider('flaky'), createProvider('cutting'));
  assert.deepEqual(findBroken(bad, flapping), []);
  const probing = createRequests((second) => ({ home: Number(second % 10 === 5) }));
  assert.deepEqual(findBroken(troubled, probing), []);
});
