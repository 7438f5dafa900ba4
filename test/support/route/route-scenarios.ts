import type { UpstreamFormat } from '../upstream-exchange.ts';
import {
  type Reply,
  fail,
  hang,
  overloaded,
  rateLimited,
  resetBeforeHeaders,
  sendText,
} from '../upstream-replies.ts';
import {
  ANTHROPIC_REFUSALS,
  CALLER_FAULTS,
  OPENAI_REFUSALS,
  type ProviderRefusal,
} from './provider-refusals.ts';
import type { Goal } from './route-figures.ts';
import type { RouteProvider } from './route-provider.ts';

/** A provider under fault. */
interface Patient {
  provider: RouteProvider;
  /** 0 is the cheapest. */
  place: number;
  /** Since the fault began. */
  elapsedMs(): number;
}

/** One model with providers of its own. */
export interface Fleet {
  model: string;
  /** The format of the cheapest; the others speak Messages and Chat. */
  format?: UpstreamFormat;
  /** Three by default. */
  providers?: number;
  /** What a provider does under fault; `undefined` is healthy. */
  conduct(patient: Patient): Reply | undefined;
}

/** One row of the table. */
export interface Scenario {
  name: string;
  fault: string;
  goal: Goal;
  fleets: readonly Fleet[];
  /** Clients leave without an event after this time. */
  patienceMs?: number;
  /** The fault is there from the first request on. */
  isCold?: boolean;
  /** How long it is measured, if not to the end of the run. */
  faultSeconds?: number;
  /** The run takes at least this long. */
  leastSeconds?: number;
  /** The share of kept-alive connections that are closed as their next request arrives. */
  closesReused?: number;
}

/** The pause that a rate-limited provider demands. */
export const RETRY_AFTER_SECONDS = 8;
const OVERLOAD_SECONDS = 10;
/** Providers that fail in turn are good and bad for this long. */
const PERIOD_MS = 2_000;

type Conduct = Fleet['conduct'];

const fleet = (conduct: Conduct, facts: Partial<Fleet> = {}): readonly Fleet[] => [
  { model: 'route-model', conduct, ...facts },
];

/** Only the cheapest misbehaves. */
const cheapest = (conduct: (patient: Patient) => Reply): readonly Fleet[] =>
  fleet((patient) => (patient.place === 0 ? conduct(patient) : undefined));

/** There is one provider. */
const only = (conduct: Conduct): readonly Fleet[] => fleet(conduct, { providers: 1 });

/** A share of calls fails, by the provider's own chance. */
const sometimes =
  (share: number, reply: Reply) =>
  ({ provider }: Patient): Reply =>
  (exchange) =>
    (provider.draw() < share ? reply : provider.answer())(exchange);

const broken = fail(500, 'server_error', {
  message: 'The server had an error while processing your request.',
});

const refuse =
  (refusal: ProviderRefusal): Reply =>
  (exchange) =>
    sendText(exchange, refusal);

/** A model for each refusal, refused by this many of its providers, the cheapest first. */
const refusing = (refusals: readonly ProviderRefusal[], format: UpstreamFormat, refusers = 1): Fleet[] =>
  refusals.map((refusal) => ({
    model: `${format}-${refusal.name}`,
    format,
    conduct: ({ place }) => (place < refusers ? refuse(refusal) : undefined),
  }));

function everySecondCall({ provider }: Patient): Reply {
  let calls = 0;
  return (exchange) => {
    calls += 1;
    return (calls % 2 === 1 ? broken : provider.answer())(exchange);
  };
}

/** Shifted by a third of the cycle per provider, so that one of three is always good. */
function everySecondPeriod({ provider, place, elapsedMs }: Patient): Reply {
  return (exchange) => {
    const atMs = elapsedMs() + (place * 2 * PERIOD_MS) / 3;
    return (atMs % (2 * PERIOD_MS) < PERIOD_MS ? broken : provider.answer())(exchange);
  };
}

function overloadedFor(seconds: number): Conduct {
  return ({ provider, place, elapsedMs }) =>
    (exchange) =>
      (elapsedMs() < seconds * 1_000 ? overloaded(place === 1 ? 529 : 503) : provider.answer())(exchange);
}

function limitedFor(seconds: number): (patient: Patient) => Reply {
  return ({ provider, elapsedMs }) =>
    (exchange) =>
      (elapsedMs() < seconds * 1_000 ? rateLimited(String(seconds)) : provider.answer())(exchange);
}

export const HEALTHY: Scenario = {
  name: 'healthy',
  fault: 'none',
  goal: { success: 1, calls: 1.01 },
  fleets: fleet(() => undefined),
};

const MOST_P99 = 2;
const MOST_P50 = 1.2;

export const SCENARIOS: readonly Scenario[] = [
  HEALTHY,
  {
    name: 'broken',
    fault: 'the cheapest answers 500',
    goal: { success: 1 },
    fleets: cheapest(() => broken),
  },
  {
    name: 'silent',
    fault: 'the cheapest accepts and says nothing',
    goal: { success: 0.99, p99: MOST_P99 },
    fleets: cheapest(() => hang()),
  },
  {
    name: 'silent-impatient',
    fault: 'the same, clients give up after 2 s',
    goal: { success: 0.99, p99: MOST_P99 },
    fleets: cheapest(() => hang()),
    patienceMs: 2_000,
  },
  {
    name: 'silent-cold',
    fault: 'the same from the first request on, clients give up after 2 s',
    goal: {},
    fleets: cheapest(() => hang()),
    patienceMs: 2_000,
    isCold: true,
  },
  {
    name: 'hangs-half',
    fault: 'the cheapest hangs half the time',
    goal: { success: 0.99 },
    fleets: cheapest(sometimes(0.5, hang())),
  },
  {
    name: 'refusals-openai',
    fault:
      'the cheapest refuses in OpenAI’s format: 404, 413, context length, 409, 422, unsupported parameter',
    goal: { success: 1 },
    fleets: refusing(OPENAI_REFUSALS, 'chat'),
  },
  {
    name: 'refusals-anthropic',
    fault: 'the same in Anthropic’s format',
    goal: { success: 1 },
    fleets: refusing(ANTHROPIC_REFUSALS, 'messages'),
  },
  {
    name: 'caller-fault',
    fault: 'the request itself is at fault (400)',
    goal: { success: 1, calls: 1.01, status: '400' },
    fleets: refusing(CALLER_FAULTS, 'chat', 3),
  },
  {
    name: 'late',
    fault: 'first byte of the cheapest 3 s late',
    goal: { success: 0.99, settledP50: MOST_P50 },
    fleets: cheapest(({ provider }) => provider.answer({ lateMs: 3_000 })),
  },
  {
    name: 'slow',
    fault: 'the cheapest ten times slower',
    goal: { success: 0.99, settledP50: MOST_P50 },
    fleets: cheapest(({ provider }) => provider.answer({ slowness: 10 })),
  },
  {
    name: 'cuts',
    fault: 'the cheapest cuts 30 % of streams midway',
    goal: { success: 0.97 },
    fleets: cheapest((patient) => sometimes(0.3, patient.provider.answer({ cutAt: 10 }))(patient)),
  },
  {
    name: 'half-random',
    fault: 'all three fail half of their calls, by chance',
    goal: { success: 0.98, calls: 1.7 },
    fleets: fleet(sometimes(0.5, broken)),
  },
  {
    name: 'half-alternating',
    fault: 'all three fail every second call',
    goal: { success: 0.98, calls: 1.7 },
    fleets: fleet(everySecondCall),
  },
  {
    name: 'half-periods',
    fault: 'all three fail for 2 s and work for 2 s, shifted',
    goal: { success: 0.98, calls: 1.7 },
    fleets: fleet(everySecondPeriod),
  },
  {
    name: 'overloaded',
    fault: `all three overloaded (503, 529) for ${OVERLOAD_SECONDS} s`,
    goal: { calls: 1.1 },
    fleets: fleet(overloadedFor(OVERLOAD_SECONDS)),
    faultSeconds: OVERLOAD_SECONDS,
    leastSeconds: 2 * OVERLOAD_SECONDS,
  },
  {
    name: 'one-500',
    fault: 'one provider only: 500 at 50 %',
    goal: { success: 0.75 },
    fleets: only(sometimes(0.5, broken)),
  },
  {
    name: 'one-503',
    fault: 'one provider only: 503 at 10 %',
    goal: { success: 0.99 },
    fleets: only(sometimes(0.1, overloaded(503))),
  },
  {
    name: 'one-reset',
    fault: 'one provider only: reset before headers at 10 %',
    goal: { success: 0.99 },
    fleets: only(sometimes(0.1, resetBeforeHeaders())),
  },
  {
    name: 'one-429',
    fault: 'one provider only: 429 with `retry-after: 1` at 20 %',
    goal: { success: 0.99 },
    fleets: only(sometimes(0.2, rateLimited('1'))),
  },
  {
    name: 'retry-after',
    fault: `the cheapest answers 429 with \`retry-after: ${RETRY_AFTER_SECONDS}\``,
    goal: { success: 0.99, backAfter: RETRY_AFTER_SECONDS },
    fleets: cheapest(limitedFor(RETRY_AFTER_SECONDS)),
    leastSeconds: 2 * RETRY_AFTER_SECONDS + 4,
  },
  {
    name: 'reused',
    fault: 'one provider only: closes 10 % of kept-alive connections as they are used',
    goal: { success: 1 },
    fleets: only(() => undefined),
    closesReused: 0.1,
  },
  {
    name: 'reused-always',
    fault: 'one provider only: closes every kept-alive connection as it is used',
    goal: { success: 1 },
    fleets: only(() => undefined),
    closesReused: 1,
  },
];
