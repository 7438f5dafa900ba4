import { systemRandom } from '#base';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mapping } from '#catalogue';
import type { FailureKind, UpstreamFailure } from '#errors';
import type { Provider } from '#providers';
import { HealthRegistry } from '#routing';
import type { Ports } from '../../request/ports.ts';
import { NO_BILL, type TripFacts } from '../../request/trip.ts';
import { REPLY, createTrip } from '../../../../test/support/create-trip.ts';
import { walkRoute } from './route-walk.ts';
import type { AttemptEnding, BeginAttempt, AttemptListener } from '../attempt-types.ts';

const NO_METER = { hasDelivered: false, bill: NO_BILL, finish: undefined };

/**
 * The provider reached by a request that was admitted on one subject while its provider now has a key of the other.
 */
async function sentTo(credential: TripFacts['credential'], provider: Partial<Provider>): Promise<string[]> {
  const trip = createTrip({ credential });
  const ports = {
    random: systemRandom,
    clock: { monotonicMs: () => 0 },
    health: new HealthRegistry(),
    live: () => ({ providers: new Map([['acme', provider]]), routing: { isAdaptive: false } }),
    telemetry: { attemptEnded: () => undefined },
  } as unknown as Ports;
  const sent: string[] = [];
  const route = [{ providerId: 'acme', externalId: 'm' } as Mapping];
  const walked = walkRoute({ ports, trip }, route, {
    begin: ({ providerId }) => ({
      meter: NO_METER,
      status: 200,
      run: async () => {
        sent.push(providerId);
        return { type: 'answered' };
      },
      cancel: () => undefined,
      giveUp: () => undefined,
    }),
  });
  await walked.catch((error: unknown) => sent.push((error as { code: string }).code));
  return sent;
}

test('what was admitted without a hold, for an own key, is never sent with the gateway’s key, nor the other way round', async () => {
  assert.deepEqual(await sentTo('own', {}), ['provider_not_configured']);
  assert.deepEqual(await sentTo('gateway', { credentialId: 'pk_1' }), ['provider_not_configured']);
  assert.deepEqual(await sentTo('own', { credentialId: 'pk_1' }), ['acme']);
  assert.deepEqual(await sentTo('gateway', {}), ['acme']);
});

/** What is recorded of a mapping after an attempt with this ending. */
async function recordAfter(ending: AttemptEnding, { status = 200, credentialId = '', connectMs = 0.4 } = {}) {
  const trip = createTrip({ credential: credentialId === '' ? 'gateway' : 'own' }, { startedMs: 900 });
  const own = credentialId === '' ? {} : { credentialId };
  const health = new HealthRegistry();
  const mapping = { providerId: 'acme', externalId: 'm' } as Mapping;
  const ports = {
    random: systemRandom,
    clock: { monotonicMs: () => 1_000 },
    health,
    live: () => ({ providers: new Map([['acme', own]]), routing: { isAdaptive: false } }),
    telemetry: { attemptEnded: () => undefined, attemptFailed: () => undefined },
  } as unknown as Ports;
  const stop = { cancel: () => undefined, giveUp: () => undefined };
  const begin = () => ({ meter: NO_METER, status, connectMs, run: async () => ending, ...stop });
  await walkRoute({ ports, trip }, [mapping], { begin });
  return { pausedMs: health.of(mapping).pausedUntilMs - 1_000, attempts: trip.attempts };
}

test('an attempt is recorded with its outcome and beginning, and with a status, a wait for a connection and an own key if any', async () => {
  const note = { providerId: 'acme', externalId: 'm', startMs: 100, durationMs: 0, reason: 'next' };
  const failure = { kind: 'unreachable', message: 'no' } as const;
  const attemptsAfter = async (...given: Parameters<typeof recordAfter>) =>
    (await recordAfter(...given)).attempts;
  assert.deepEqual(await attemptsAfter({ type: 'answered' }), [
    { ...note, outcome: 'answered', status: 200 },
  ]);
  assert.deepEqual(await attemptsAfter({ type: 'answered' }, { connectMs: 35.4 }), [
    { ...note, outcome: 'answered', status: 200, connectMs: 35 },
  ]);
  assert.deepEqual(await attemptsAfter({ type: 'failed', failure }, { status: 0 }), [
    { ...note, outcome: 'unreachable' },
  ]);
  assert.deepEqual(await attemptsAfter({ type: 'canceled' }, { status: 0, credentialId: 'pk_1' }), [
    { ...note, outcome: 'canceled', credential: 'own' },
  ]);
});

test('failures of a provider pause its mapping, refusals and callers that disconnect do not', async () => {
  const pauseAfter = async (ending: AttemptEnding) => (await recordAfter(ending)).pausedMs;
  const fail = (kind: FailureKind): Promise<number> =>
    pauseAfter({ type: 'failed', failure: { kind, message: 'no' } });
  assert.equal(await fail('request-refused'), -Infinity);
  assert.equal(await fail('unreachable'), 5_000);
  assert.equal(await fail('broken'), 2_000);
  assert.equal(await pauseAfter({ type: 'canceled' }), -Infinity);
  assert.equal(await pauseAfter({ type: 'answered' }), -Infinity);
});

/** What may happen while a provider is silent. */
const WAITINGS = {
  rivals: { timing: 'firstEvent', unknownMs: 1 },
  none: undefined,
} as const;

/** Attempts that end or begin when the test says so, on a clock of its own. */
function openWalk(
  names: readonly string[],
  {
    waiting = 'rivals',
    isAdaptive = true,
    broken = '',
  }: { waiting?: keyof typeof WAITINGS; isAdaptive?: boolean; broken?: string } = {},
) {
  const trip = createTrip({ credential: 'gateway' }, { reply: { ...REPLY } });
  const health = new HealthRegistry();
  const ports = {
    random: systemRandom,
    clock: { monotonicMs: () => performance.now() },
    health,
    live: () => ({
      providers: new Map(names.map((name) => [name, {}])),
      routing: { isAdaptive, hedges: true },
    }),
    telemetry: { attemptEnded: () => undefined, attemptFailed: () => undefined },
  } as unknown as Ports;
  const calls: { name: string; listener: AttemptListener; end(ending: AttemptEnding): void }[] = [];
  const waits: (() => void)[] = [];
  const endings: string[] = [];
  const route = names.map((providerId) => ({ providerId, externalId: 'm' }) as Mapping);
  const begin: BeginAttempt = ({ providerId }, _provider, listener) => {
    if (providerId === broken) throw new Error('a fault of the gateway');
    const { promise, resolve } = Promise.withResolvers<AttemptEnding>();
    void promise.then((ending) => endings.push(`${providerId} ${ending.type}`));
    calls.push({ name: providerId, listener, end: resolve });
    for (const wake of waits.splice(0)) wake();
    const cancel = () => resolve({ type: 'canceled' });
    const giveUp = (failure: UpstreamFailure) => resolve({ type: 'failed', failure });
    return { meter: NO_METER, status: 0, run: () => promise, cancel, giveUp };
  };
  const ended = walkRoute({ ports, trip }, route, {
    begin,
    waiting: WAITINGS[waiting],
  });
  const callAt = async (index: number) => {
    while (calls.length <= index) await new Promise<void>((resolve) => waits.push(resolve));
    return calls[index] ?? assert.fail();
  };
  const attempts = () => trip.attempts.map(({ providerId, outcome }) => `${providerId} ${outcome}`);
  return { calls, callAt, ended, endings, health, attempts, route };
}

const BROKEN: AttemptEnding = { type: 'failed', failure: { kind: 'broken', message: 'no' } };

test('where a provider is silent the next is called too, the first to begin wins, and the other is canceled', async () => {
  const walk = openWalk(['one', 'two']);
  const second = await walk.callAt(1);
  second.listener.onBegin();
  second.end({ type: 'answered' });
  assert.deepEqual((await walk.ended).ending, { type: 'answered' });
  assert.deepEqual(walk.attempts(), ['one outpaced', 'two answered']);
  assert.equal(walk.health.of(walk.route[0]!).isTrusted, false);
});

test('the first may still win', async () => {
  const walk = openWalk(['one', 'two']);
  await walk.callAt(1);
  const first = await walk.callAt(0);
  first.listener.onBegin();
  first.end({ type: 'answered' });
  await walk.ended;
  assert.deepEqual(walk.attempts(), ['two outpaced', 'one answered']);
});

test('where the second call fails while the first is still silent, a third is made', async () => {
  const walk = openWalk(['one', 'two', 'three']);
  (await walk.callAt(1)).end(BROKEN);
  const third = await walk.callAt(2);
  third.listener.onBegin();
  third.end({ type: 'answered' });
  await walk.ended;
  assert.deepEqual(walk.attempts(), ['two broken', 'one outpaced', 'three answered']);
});

test('a rival that refuses the request leaves the first its chance', async () => {
  const walk = openWalk(['one', 'two']);
  const second = await walk.callAt(1);
  second.end({ type: 'failed', failure: { kind: 'request-refused', status: 400, message: 'no' } });
  await new Promise((resolve) => setImmediate(resolve));
  const first = await walk.callAt(0);
  first.listener.onBegin();
  first.end({ type: 'answered' });
  assert.deepEqual((await walk.ended).ending, { type: 'answered' });
  assert.deepEqual(walk.attempts(), ['two request-refused', 'one answered']);
});

test('a fault while a rival begins ends the request and the first call, and nothing else', async () => {
  const walk = openWalk(['one', 'two'], { broken: 'two' });
  await assert.rejects(walk.ended, /a fault of the gateway/);
  assert.deepEqual(walk.endings, ['one canceled']);
});

test('requests that must not be made twice at once are not, however silent the provider is', async () => {
  const walk = openWalk(['one', 'two'], { waiting: 'none' });
  const first = await walk.callAt(0);
  await new Promise((resolve) => setTimeout(resolve, 700));
  assert.equal(walk.calls.length, 1);
  first.end({ type: 'answered' });
  await walk.ended;
});

test('after the last mapping has failed those are tried again that may succeed, six calls in all', async () => {
  const walk = openWalk(['one', 'two'], { waiting: 'none' });
  for (let call = 0; call < 6; call += 1) (await walk.callAt(call)).end(BROKEN);
  assert.equal((await walk.ended).ending.type, 'failed');
  assert.deepEqual(
    walk.calls.map(({ name }) => name),
    ['one', 'two', 'one', 'two', 'one', 'two'],
  );
});

test('without adaptive routing each mapping is tried once, one after the other', async () => {
  const walk = openWalk(['one', 'two'], { isAdaptive: false });
  for (let call = 0; call < 2; call += 1) (await walk.callAt(call)).end(BROKEN);
  assert.equal((await walk.ended).ending.type, 'failed');
  assert.equal(walk.calls.length, 2);
});

test('a provider that names a time is not called before it', async () => {
  const walk = openWalk(['one'], { waiting: 'none' });
  (await walk.callAt(0)).end({
    type: 'failed',
    failure: { kind: 'rate-limited', message: 'slow down', retryAfterSeconds: 60 },
  });
  assert.equal((await walk.ended).ending.type, 'failed');
  assert.equal(walk.calls.length, 1, 'not repeated before its time');
  assert.equal(walk.health.of(walk.route[0]!).stateAt(performance.now() + 50_000), 'closed');
});
