import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Mapping } from '#catalogue';
import { HealthRegistry } from '#routing';
import type { Ports } from '../../request/ports.ts';
import type { TripFacts } from '../../request/trip.ts';
import { createTrip } from '../../../../test/support/create-trip.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { RouteState } from './route-state.ts';

const ALLOWANCE = { limits: [], queue: { length: 1, waitMs: 1_000 } };

interface Situation {
  facts?: Partial<TripFacts>;
  isContinued?: true;
  /** A provider with two credentials. */
  pooled?: string;
  /** A provider with limits. */
  limited?: string;
  health?: HealthRegistry;
}

/** What one request has tried of a route, with the credentials of its providers. */
function createTried(
  route: readonly Mapping[],
  { facts, isContinued, pooled, limited, health = new HealthRegistry() }: Situation = {},
) {
  const trip = createTrip({ credential: 'gateway', inputEstimate: 1, ...facts });
  const clock = new TestClock();
  const asked: boolean[] = [];
  const capacity = {
    enter: async ({ mayWait, credentials: [credential] }: { mayWait: boolean; credentials: [object] }) => {
      asked.push(mayWait);
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(299.6);
      return { credential, slot: { end: () => undefined } };
    },
  };
  const poolOf = (id: string) => {
    const one = { weight: 1, provider: { id }, ...(id === limited && { allowance: ALLOWANCE }) };
    return [one, ...(id === pooled ? [one] : [])].map((each, number) => ({ ...each, name: `n${number}` }));
  };
  const ids = route.map(({ providerId }) => providerId);
  const ports = {
    capacity,
    clock,
    random: () => 0.5,
    health,
    live: () => ({
      providers: new Map(ids.map((id) => [id, { id }])),
      pools: new Map(ids.map((id) => [id, poolOf(id)])),
      routing: { isAdaptive: true },
    }),
  } as unknown as Ports;
  const tried = new RouteState({ ports, trip, ...(isContinued && { isContinued }) }, route);
  return { tried, asked, all: tried.candidates };
}

const mappingOf = (providerId: string, modelId = 'm') =>
  ({ providerId, modelId, externalId: modelId }) as Mapping;

/** The reasons for the calls of a request, made one after the other. */
function reasonsOf(route: readonly Mapping[], situation: Situation): string[] {
  const { tried, all } = createTried(route, situation);
  const [first] = all;
  assert.ok(first);
  return [...all, first].map((candidate) => {
    const reason = tried.explain(candidate, false);
    tried.countCall(candidate);
    return reason;
  });
}

test('each call has its reason: why its provider comes first, or what it is tried after', () => {
  const route = [mappingOf('one'), mappingOf('two'), mappingOf('one', 'other')] as const;
  const facts: Situation['facts'] = { choice: { mapping: route[0], reason: 'cheapest' } };
  const expected = ['credential', 'next', 'fallback-model', 'credential', 'retry'];
  assert.deepEqual(reasonsOf(route, { facts, pooled: 'one' }), ['cheapest', ...expected]);
  assert.deepEqual(reasonsOf(route, { facts, pooled: 'one', isContinued: true }), ['continued', ...expected]);
  const another: Situation['facts'] = { choice: { mapping: route[1], reason: 'cheapest' } };
  assert.deepEqual(reasonsOf(route.slice(0, 2), { facts: another }), ['next', 'next', 'retry']);
  const { tried, all } = createTried(route, { facts });
  assert.equal(tried.explain(all[0]!, true), 'rival');
});

test('the first call has the reason `health` where the one that would have come before it is in a pause', () => {
  const [one, two, other] = [mappingOf('one'), mappingOf('two'), mappingOf('two', 'other')];
  const facts: Situation['facts'] = { choice: { mapping: one, reason: 'cheapest' } };
  const health = new HealthRegistry();
  health.of(one).fail(new TestClock().monotonicMs(), { pauseMs: 1, retryAfterMs: 60_000 });
  const { tried, all } = createTried([one, two, other], { facts, health });
  assert.equal(tried.isClosed(all[0]!), true);
  assert.equal(tried.explain(all[1]!, false), 'health');
  assert.equal(tried.explain(all[2]!, false), 'fallback-model');
  tried.countCall(all[2]!);
  assert.equal(tried.explain(all[1]!, false), 'next');
});

test('a silent provider is joined by another provider, and by another of its credentials only where there is no other', () => {
  const { tried, all } = createTried([mappingOf('one'), mappingOf('two')], { pooled: 'one' });
  const [first, sibling, other] = all;
  assert.ok(first && sibling && other);
  tried.countCall(first);
  assert.equal(tried.findRival(first), other);
  tried.countCall(other);
  assert.equal(tried.findRival(first), sibling);
});

test('a silent provider is joined while the request has made fewer than six calls', () => {
  const { tried, all } = createTried(Array.from({ length: 8 }, (_, number) => mappingOf(`p${number}`)));
  const [first] = all;
  assert.ok(first);
  for (const one of all.slice(0, 5)) tried.countCall(one);
  assert.equal(tried.findRival(first), all[5]);
  tried.countCall(all[5]!);
  assert.equal(tried.findRival(first), undefined);
});

/** Lets a request wait. */
async function wait(t: TestContext, tried: RouteState, ms: number): Promise<void> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const waited = tried.wait(ms);
  t.mock.timers.tick(ms);
  await waited;
  t.mock.timers.reset();
}

test('a request that has waited for ten seconds in all is tried once more, and waits no longer', async (t) => {
  const { tried } = createTried([mappingOf('one')]);
  await wait(t, tried, 6_000);
  await wait(t, tried, 4_000);
  assert.equal(tried.choose()?.candidate.mapping.providerId, 'one');
  await wait(t, tried, 1);
  assert.equal(tried.choose(), undefined);
});

test('a call shows how many whole milliseconds the request has waited since the call before it, also for its turn', async (t) => {
  const { tried, all, asked } = createTried([mappingOf('one')], { limited: 'one' });
  const [first] = all;
  assert.ok(first);
  await wait(t, tried, 50);
  assert.equal((await tried.enter(first))?.candidate.mapping, first.mapping);
  assert.deepEqual(asked, [true], 'it may wait for its turn');
  assert.equal(tried.takeWaitedMs(), 350);
  assert.equal(tried.takeWaitedMs(), 0);
});

test('a provider without limits is called at once', async () => {
  const { tried, all, asked } = createTried([mappingOf('one')]);
  const [first] = all;
  assert.ok(first);
  assert.deepEqual(await tried.enter(first), { candidate: first });
  assert.deepEqual(asked, []);
});

test('each first call adds to the further calls that those beginning at its provider may cause, a continued answer does not', () => {
  const health = new HealthRegistry();
  const { nowMs } = createTried([mappingOf('one')]).tried;
  const budgets = ['one', 'two'].map((name) => health.budgetsOf(name, nowMs).retries);
  for (const budget of budgets) while (budget.spend(nowMs));
  const route = [mappingOf('one'), mappingOf('two')];
  for (let choice = 0; choice < 2; choice += 1) createTried(route, { health, isContinued: true });
  assert.equal(budgets[0]?.hasAny(nowMs), false);
  for (let choice = 0; choice < 2; choice += 1) createTried(route, { health });
  assert.deepEqual(
    budgets.map((budget) => budget.hasAny(nowMs)),
    [true, false],
  );
});
