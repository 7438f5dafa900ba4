import type { Mapping } from '#catalogue';
import type { Provider } from '#providers';
import type { GatewayError, UpstreamFailure } from '#errors';
import type { TimingName } from '#routing';
import type { PicoUsd } from '#base';
import type { EventSink } from '../answer/delivery.ts';
import type { MeteredUsage } from '../price/meter.ts';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { findNext } from '#errors';

/** How the attempts ended. `cut` and `canceled` may have delivered a part. */
export type AttemptEnding =
  | { type: 'answered' }
  | { type: 'cut'; failure: UpstreamFailure }
  | { type: 'canceled'; failure?: UpstreamFailure }
  | { type: 'failed'; failure: UpstreamFailure }
  | { type: 'unsupported'; error: GatewayError };

export function failureOf(ending: AttemptEnding): UpstreamFailure | undefined {
  return 'failure' in ending ? ending.failure : undefined;
}

/** Whether another attempt may follow. */
export function mayGoOn(ending: AttemptEnding): boolean {
  if (ending.type === 'unsupported') return true;
  return ending.type === 'failed' && findNext(ending.failure) !== 'stop';
}

/** One attempt at one mapping. */
export interface Attempt {
  readonly meter: MeteredUsage;
  /** The provider's status; 0 if it sent none. */
  readonly status: number;
  /** The span of the call, if the provider was sent it. */
  readonly spanId?: string | undefined;
  /** How long it waited for a connection, if it got one. */
  readonly connectMs?: number | undefined;
  /** The longest silence within its answer. */
  readonly longestSilenceMs?: number;
  run(): Promise<AttemptEnding>;
  /** Another attempt has begun to answer, or the request is over. */
  cancel(): void;
  /** Fails before its answer has begun, if the provider was called. */
  giveUp(failure: UpstreamFailure): void;
}

/** What an attempt reports while it runs. */
export interface AttemptListener {
  /** The first part of the answer arrived. */
  onBegin(): void;
  /** The speed of its stream. */
  onSpeed(msPerToken: number): void;
  /** Absent where a silence shows nothing. */
  stalls?: StallWatch;
}

/** Called when a stream stalls. It may recover, but other requests need not wait for that. */
export interface StallWatch {
  /** What hardly any silence within a stream exceeds. */
  usualMs: number;
  /** Whether enough streams have shown that. */
  isKnown: boolean;
  onStall(): void;
}

/** How the first part of an answer is awaited. */
export interface FirstEventWait {
  /** What shows how long it usually takes. */
  timing: TimingName;
  /** Whether no second provider may be called meanwhile: the first is left after a longer time, once that is known. */
  isAlone?: true;
  /** How long, at a mapping without measurements. */
  unknownMs: number;
  /** How long at least, as requests of one mapping differ in size. */
  leastMs?: number;
}

export interface AttemptResult {
  ending: AttemptEnding;
  meter: MeteredUsage;
}

/** What trying a route needs of its trip. */
export interface RouteTools {
  ports: Ports;
  trip: Trip;
  /** The answer has begun at another provider, which cut it. */
  isContinued?: true;
}

/** What all attempts of one trip share. */
export interface AttemptTools extends RouteTools {
  delivery: EventSink;
  /** Other costs on the hold of the attempt; absent if there are none. */
  share?: HoldShare;
  /** Called during delivery, so that a crash loses little. */
  onProgress(meter: MeteredUsage): void;
  /** Called with each attempt before anything is sent. */
  onOpen?(attempt: OpenAttempt): void;
}

/** Other costs on the hold of an attempt: other choices, or the beginning of its answer. */
export interface HoldShare {
  /** The meter of all of it. */
  sum(meter: MeteredUsage): MeteredUsage;
  /** The amount owed for the answer before the attempt. */
  earlier: PicoUsd;
}

/** An attempt as the other attempts of its trip see it. */
export interface OpenAttempt {
  meter: MeteredUsage;
  cancel(): void;
}

/** Begins an attempt. */
export type BeginAttempt = (mapping: Mapping, provider: Provider, listener: AttemptListener) => Attempt;
