import type { Strategy } from './arrange.ts';

/** Why a mapping is called first. */
export type FirstReason =
  /** There is no other. */
  | 'only'
  /** The request, its key or its project names it first. */
  | 'order'
  /** An experiment sends a share of the requests there. */
  | 'experiment'
  /** It has the conversation's prompt in its cache. */
  | 'sticky'
  /** Its pause is over; this request probes it. */
  | 'probe'
  /** Its speed is not known yet. */
  | 'exploration'
  /** Those that would come before it are unhealthy. */
  | 'health'
  /** Its weight: its share of the times it comes first. */
  | 'weights'
  /** It is the best by the strategy. */
  | 'cheapest'
  | 'latency'
  | 'throughput'
  | 'uptime';

/** Why a mapping is called. */
export type AttemptReason =
  | FirstReason
  /** The one before it failed, or cannot be called now. */
  | 'next'
  /** The same with another model. */
  | 'fallback-model'
  /** The one before it cut its answer, which it continues. */
  | 'continued'
  /** The same mapping with another credential. */
  | 'credential'
  /** It has failed, and is called again. */
  | 'retry'
  /** The one called before it is silent for longer than usual. */
  | 'rival';

export const REASON_OF_STRATEGY: Readonly<Record<Strategy | 'weights', FirstReason>> = {
  balanced: 'cheapest',
  price: 'cheapest',
  latency: 'latency',
  throughput: 'throughput',
  uptime: 'uptime',
  weights: 'weights',
};
