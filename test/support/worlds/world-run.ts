import { type CanonicalRequest, createUsage } from '#canonical';
import type { Mapping } from '#catalogue';
import type { FailureKind, UpstreamFailure } from '#errors';
import type { Provider } from '#providers';
import { HealthRegistry, type Strategy } from '#routing';
import { walkRoute } from '../../../src/pipeline/attempt/route/route-walk.ts';
import { findFirstEventWait } from '../../../src/pipeline/attempt/dispatch/first-event-wait.ts';
import type {
  AttemptEnding,
  BeginAttempt,
  Attempt,
  AttemptListener,
} from '../../../src/pipeline/attempt/attempt-types.ts';
import type { MeteredUsage } from '../../../src/pipeline/price/meter.ts';
import { plan } from '../../../src/pipeline/path/mappings/plan.ts';
import type { Arrival } from '../../../src/pipeline/request/arrival.ts';
import type { Ports } from '../../../src/pipeline/request/ports.ts';
import { NO_BILL, Trip } from '../../../src/pipeline/request/trip.ts';
import { createSeededRandom } from '../seeded-random.ts';
import { type Fate, type World, type WorldAsk, drawFate } from './provider-world.ts';
import { VirtualTime } from './virtual-time.ts';

/** A request of a world. */
export interface WorldRequest {
  atMs: number;
  endedMs: number;
  outcome: 'answered' | 'cut' | 'failed' | 'left';
  /** The provider its route began with. */
  home: number;
  /** Places of the providers that were called, in order. */
  called: number[];
  calledMs: number[];
  /** When calls came that no budget pays: another mapping is asked after one has refused the request. */
  freeMs: number[];
  /** The provider that answered. */
  answeredBy?: number;
  /** When the answer began; of an answer that is not streamed, its end. */
  begunMs?: number;
  ask?: WorldAsk;
}

/** How long clients wait for the first event. */
const PATIENCE_MS = 30_000;
/** The gateway's limit where no other provider can be asked. */
const FIRST_EVENT_MS = 180_000;

/** How a request finds a provider. */
export interface Choosing {
  routing: { isAdaptive: boolean; hedges: boolean; strategy: Strategy };
  /** The places to try, whatever happened before; the gateway's own order if absent. */
  order?: readonly number[];
}

const ADAPTIVE: Choosing = { routing: { isAdaptive: true, hedges: true, strategy: 'balanced' } };

/** Sends the requests of a world through the gateway's own routing. */
export async function runWorld(world: World, choosing = ADAPTIVE): Promise<WorldRequest[]> {
  using time = new VirtualTime();
  const random = createSeededRandom(world.seed + 1);
  const { random: realRandom } = Math;
  Math.random = random;
  try {
    const open = openWorld(world, { time, random, choosing });
    const requests = Promise.all(world.arrivalsMs.map((atMs) => open(atMs)));
    // To the very end: the process's deadlines must not tick on in the next world.
    await time.run();
    return await requests;
  } finally {
    Math.random = realRandom;
  }
}

interface Chance {
  choosing: Choosing;
  time: VirtualTime;
  random: () => number;
}

/** Returns what sends one request at a time. */
function openWorld(world: World, chance: Chance): (atMs: number) => Promise<WorldRequest> {
  const { time } = chance;
  const mappings = world.providers.map(({ id }, place) => toMapping(id, place));
  const ports = {
    random: (bytes: Uint8Array) => bytes.forEach((_, at) => (bytes[at] = Math.floor(chance.random() * 256))),
    clock: { monotonicMs: () => time.nowMs, now: () => time.nowMs },
    health: new HealthRegistry(),
    live: () => ({
      providers: new Map(world.providers.map(({ id }) => [id, {} as Provider])),
      routing: chance.choosing.routing,
    }),
    telemetry: { attemptEnded: () => undefined, attemptFailed: () => undefined },
  } as unknown as Ports;
  const live = ports.live();
  Object.assign(ports, { live: () => live });
  return async (atMs) => {
    await new Promise<void>((resolve) => time.at(atMs, resolve));
    return ask({ world, mappings, ports, ...chance }, atMs);
  };
}

interface Setting extends Chance {
  world: World;
  mappings: readonly Mapping[];
  ports: Ports;
}

function toMapping(providerId: string, place: number): Mapping {
  const price = { parts: { inputUncached: BigInt(place + 1), outputText: BigInt(place + 1) } };
  return { providerId, externalId: 'm', format: 'chat', stability: 'stable', price } as unknown as Mapping;
}

/** A caller that may leave. */
class WorldReply {
  isOver = false;
  readonly #leavers = new Set<() => void>();

  addHeader(): void {
    // It is not read.
  }

  onGone(run: () => void): void {
    this.#leavers.add(run);
  }

  offGone(run: () => void): void {
    this.#leavers.delete(run);
  }

  leave(): void {
    this.isOver = true;
    for (const run of this.#leavers) run();
  }
}

async function ask(setting: Setting, atMs: number): Promise<WorldRequest> {
  const { world, mappings, ports, time } = setting;
  const reply = new WorldReply();
  const trip = new Trip({ requestId: 'req', reply, format: { id: 'chat' } } as unknown as Arrival);
  const asked = world.draw?.(setting.random);
  trip.set({ caller: { keyId: 'k', keyLabel: 'k', organizationId: 'o', projectId: 'p' } });
  trip.set({ request: toRequest(asked), inputEstimate: asked?.promptTokens ?? 0 });
  const planned = plan(ports, trip, mappings);
  const route = setting.choosing.order?.map((place) => mappings[place] as Mapping) ?? planned;
  const placeOf = ({ providerId }: Mapping): number =>
    world.providers.findIndex(({ id }) => id === providerId);
  const request: WorldRequest = {
    atMs,
    endedMs: 0,
    outcome: 'failed',
    home: route[0] ? placeOf(route[0]) : -1,
    called: [],
    calledMs: [],
    freeMs: [],
    ...(asked && { ask: asked }),
  };
  let isRefused = false;
  const patience = time.at(atMs + (world.patienceMs ?? PATIENCE_MS), () => reply.leave());
  const begin: BeginAttempt = (mapping, _provider, listener) => {
    const place = placeOf(mapping);
    request.called.push(place);
    request.calledMs.push(time.nowMs);
    if (isRefused) request.freeMs.push(time.nowMs);
    return new WorldTry(setting, {
      reply,
      place,
      ask: asked,
      onFailure: (kind) => (isRefused = kind === 'request-refused'),
      listener: {
        ...listener,
        onBegin: () => {
          patience.run = undefined;
          request.answeredBy = place;
          request.begunMs = time.nowMs;
          listener.onBegin();
        },
      },
    });
  };
  const walked = walkRoute({ ports, trip }, route, { begin, waiting: findFirstEventWait(trip) });
  request.outcome = await walked.then(
    ({ ending }) => toOutcome(ending),
    () => 'failed' as const,
  );
  patience.run = undefined;
  request.endedMs = time.nowMs;
  return request;
}

function toRequest({ stream, outputTokens }: Partial<WorldAsk> = {}): CanonicalRequest {
  const maxOutputTokens = outputTokens;
  return {
    stream: stream ?? true,
    choices: 1,
    ...(stream === false && { maxOutputTokens }),
  } as CanonicalRequest;
}

function toOutcome({ type }: AttemptEnding): WorldRequest['outcome'] {
  if (type === 'answered' || type === 'cut') return type;
  return type === 'canceled' ? 'left' : 'failed';
}

interface Called {
  reply: WorldReply;
  place: number;
  ask: WorldAsk | undefined;
  listener: AttemptListener;
  onFailure(kind: FailureKind): void;
}

/** A call to a provider of the world. */
class WorldTry implements Attempt {
  readonly meter: MeteredUsage;
  readonly status = 0;
  readonly #time: VirtualTime;
  readonly #fate: Fate;
  readonly #called: Called;
  readonly #ending = Promise.withResolvers<AttemptEnding>();
  #isOver = false;
  readonly #leave = (): void => this.#end({ type: 'canceled' });

  constructor({ world, time, random }: Setting, called: Called) {
    const provider = world.providers[called.place];
    if (!provider) throw new Error('no such provider');
    this.#time = time;
    this.#called = called;
    this.#fate = drawFate(provider, { atMs: time.nowMs, ask: called.ask }, random);
    const outputText = this.#fate.type === 'answer' ? this.#fate.tokens : 0;
    const usage = createUsage({ outputText, inputUncached: called.ask?.promptTokens ?? 0 });
    this.meter = { hasDelivered: false, bill: { ...NO_BILL, usage }, finish: undefined };
  }

  run(): Promise<AttemptEnding> {
    this.#called.reply.onGone(this.#leave);
    this.#time.stir();
    this.#schedule();
    return this.#ending.promise;
  }

  cancel(): void {
    this.#end({ type: 'canceled' });
  }

  giveUp(failure: UpstreamFailure): void {
    this.#end({ type: 'failed', failure });
  }

  #schedule(): void {
    const fate = this.#fate;
    const { listener } = this.#called;
    switch (fate.type) {
      case 'answer':
        if (this.#called.ask?.stream === false) {
          this.#after(fate.wholeMs, () => {
            listener.onBegin();
            this.#end({ type: 'answered' });
          });
          return;
        }
        this.#after(fate.firstMs, () => listener.onBegin());
        this.#after(fate.wholeMs, () => {
          listener.onSpeed((fate.wholeMs - fate.firstMs) / fate.tokens);
          this.#end({ type: 'answered' });
        });
        return;
      case 'cut':
        this.#after(fate.firstMs, () => listener.onBegin());
        this.#after(fate.atMs, () => this.#end({ type: 'cut', failure: { kind: 'broken', message: 'cut' } }));
        return;
      case 'failure':
        this.#after(fate.afterMs, () => {
          this.#called.onFailure(fate.failure.kind);
          this.#end({ type: 'failed', failure: fate.failure });
        });
        return;
      case 'silence':
        this.#after(FIRST_EVENT_MS, () =>
          this.#end({ type: 'failed', failure: { kind: 'timed-out', message: 'silent' } }),
        );
    }
  }

  #after(ms: number, run: () => void): void {
    this.#time.at(this.#time.nowMs + ms, () => {
      if (!this.#isOver) run();
    });
  }

  #end(ending: AttemptEnding): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#time.stir();
    this.#called.reply.offGone(this.#leave);
    this.#ending.resolve(ending);
  }
}
