import { after, before, beforeEach, mock } from 'node:test';
import assert from 'node:assert/strict';
import type { Mapping } from '#catalogue';
import type { UpstreamFailure } from '#errors';
import { HealthRegistry } from '#routing';
import { NO_BILL } from '../../src/pipeline/request/trip.ts';
import type { Ports } from '../../src/pipeline/request/ports.ts';
import { REPLY, createTrip } from './create-trip.ts';
import { walkRoute } from '../../src/pipeline/attempt/route/route-walk.ts';
import type {
  AttemptEnding,
  BeginAttempt,
  AttemptListener,
  FirstEventWait,
} from '../../src/pipeline/attempt/attempt-types.ts';

const STEP_MS = 20;
export const BROKEN: AttemptEnding = { type: 'failed', failure: { kind: 'broken', message: 'no' } };
export const RIVALS: FirstEventWait = { timing: 'firstEvent', unknownMs: 1 };

let nowMs = 0;

/** In the tests of a file time stands still but for `pass`. */
export function takeClock(): void {
  before(() => {
    mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
    mock.method(performance, 'now', () => nowMs);
  });
  after(() => {
    mock.timers.reset();
    mock.restoreAll();
  });
  beforeEach(() => pass(100)); // deadlines of an earlier test are over
}

/** Time passes for these tests alone, as it does for deadlines: step by step. */
export async function pass(ms: number): Promise<void> {
  for (const endMs = nowMs + ms; nowMs < endMs;) {
    nowMs += STEP_MS;
    mock.timers.tick(STEP_MS);
    await settle();
  }
}

/** All that needs no time has happened. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

interface Call {
  name: string;
  /** After the first, in steps of 100 ms. */
  atMs: number;
  listener: AttemptListener;
  isCanceled: boolean;
  end(ending: AttemptEnding): void;
}

/** A request to a limited provider that waits for its turn. */
interface Entering {
  name: string;
  mayWait: boolean;
  /** The tokens that were counted at the end of the call; absent while it lasts. */
  used?: number;
  admit(): Promise<void>;
  refuse(): Promise<void>;
}

export interface Situation {
  waiting?: FirstEventWait;
  /** Times to the first event that are known, by provider. */
  usual?: Record<string, readonly number[]>;
  /** Providers with limits. */
  limited?: readonly string[];
  /** A provider at which beginning a call fails. */
  broken?: string;
  /** Whether the configuration wants a second call while the first is silent. */
  hedges?: boolean;
  /** What is known from other requests, which wait at the same time. */
  health?: HealthRegistry;
}

/** One request along providers that answer or fail when the test says so. */
export function openClockedWalk(names: string, situation: Situation = {}) {
  const { waiting = RIVALS, usual = {}, limited = [], broken, hedges = true } = situation;
  const { health = new HealthRegistry() } = situation;
  const route = names.split(' ').map((providerId) => ({ providerId, externalId: 'm' }) as Mapping);
  const reply = { ...REPLY };
  const trip = createTrip({ credential: 'gateway', inputEstimate: 1 }, { reply, startedMs: nowMs });
  const healthOf = (name: string) => health.of({ providerId: name, externalId: 'm' });
  for (const [name, times] of Object.entries(usual))
    for (const ms of times) healthOf(name).firstEvent.add(ms);
  const { entering, capacity } = openCapacity();
  const allowance = { limits: [], queue: { length: 0, waitMs: 0 } };
  const ports = {
    capacity,
    random: () => 0.5,
    clock: { monotonicMs: () => nowMs },
    health,
    live: () => ({
      providers: new Map(route.map(({ providerId: id }) => [id, { id }])),
      pools: new Map(
        limited.map((id) => [id, [{ name: 'default', weight: 1, provider: { id }, allowance }]]),
      ),
      routing: { isAdaptive: true, hedges },
    }),
    telemetry: { attemptEnded: () => undefined, attemptFailed: () => undefined },
  } as unknown as Ports;
  const calls: Call[] = [];
  const startedMs = nowMs;
  const begin: BeginAttempt = ({ providerId: name }, _provider, listener) => {
    if (name === broken) throw new Error('a fault of the gateway');
    const { promise, resolve: end } = Promise.withResolvers<AttemptEnding>();
    const atMs = Math.floor((nowMs - startedMs) / 100) * 100;
    const call: Call = { name, atMs, listener, isCanceled: false, end };
    calls.push(call);
    const meter = { hasDelivered: false, bill: { ...NO_BILL, provider: 7n, owed: 7n }, finish: undefined };
    // A call that is canceled may take a while to end.
    const cancel = () => void (call.isCanceled = true);
    const giveUp = (failure: UpstreamFailure) => end({ type: 'failed', failure });
    return { meter, status: 0, longestSilenceMs: 100, run: () => promise, cancel, giveUp };
  };
  const start = () => walkRoute({ ports, trip }, route, { begin, waiting });
  return {
    start,
    trip,
    entering,
    health,
    healthOf,
    leave: () => void (reply.isOver = true),
    budgets: health.budgetsOf(route[0]?.providerId ?? '', nowMs),
    callOf: (name: string) =>
      calls.find((call) => call.name === name) ?? assert.fail(`${name} is not called`),
    lastCall: () => calls.at(-1) ?? assert.fail('nobody is called'),
    canceled: () => calls.filter(({ isCanceled }) => isCanceled).map(({ name }) => name),
    calls: () => calls.map(({ name, atMs }) => `${name} ${atMs}`),
  };
}

type Walk = ReturnType<typeof openClockedWalk>;

/** The call at this provider answers, and the walk ends with that. */
export async function finish(walk: Walk, ended: ReturnType<Walk['start']>, name: string): Promise<void> {
  const answered: AttemptEnding = { type: 'answered' };
  const call = walk.callOf(name);
  call.listener.onBegin();
  call.end(answered);
  assert.deepEqual((await ended).ending, answered);
}

interface Wanted {
  providerId: string;
  credentials: [object];
  mayWait: boolean;
}

/** Limits that let a request pass when the test says so. */
function openCapacity() {
  const entering: Entering[] = [];
  const enter = ({ providerId: name, credentials: [credential], mayWait }: Wanted) => {
    const { promise, resolve } = Promise.withResolvers<object>();
    const one: Entering = {
      name,
      mayWait,
      admit: () => {
        resolve({ credential, slot: { end: (tokens: number) => (one.used = tokens) } });
        return settle();
      },
      refuse: () => {
        resolve({ waitMs: 10_000 });
        return settle();
      },
    };
    entering.push(one);
    return promise;
  };
  return { entering, capacity: { enter } };
}
