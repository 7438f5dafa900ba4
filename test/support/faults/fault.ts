import type { Reply } from '../upstream-replies.ts';
import type { Departure } from './fault-client.ts';

/** What the caller gets: the answer of a provider, the beginning of one, nothing as it has left, or an error. */
export type Outcome =
  | 'answer'
  | 'cut'
  | 'left'
  | 'upstream_unreachable'
  | 'upstream_broken'
  | 'upstream_garbled'
  | 'upstream_timed_out'
  | 'upstream_rate_limited'
  | 'upstream_overloaded'
  | 'upstream_credential_refused'
  | 'request_refused'
  | 'store_unavailable';

/** The statuses of errors; of `request_refused`, that of the provider. */
export const STATUS: Record<Exclude<Outcome, 'answer' | 'cut' | 'left' | 'request_refused'>, number> = {
  upstream_unreachable: 502,
  upstream_broken: 502,
  upstream_garbled: 502,
  upstream_timed_out: 504,
  upstream_rate_limited: 429,
  upstream_overloaded: 503,
  upstream_credential_refused: 502,
  store_unavailable: 503,
};

/**
 * What the gateway makes of a fault: calls again (`repeat`), calls only other providers (`elsewhere`), gives the caller
 * the error (`final`), ends what it had begun (`midway`), or answers (`harmless`).
 */
type Course = 'repeat' | 'elsewhere' | 'final' | 'midway' | 'harmless';

export const MODES = ['JSON', 'stream'] as const;
export type Mode = (typeof MODES)[number];

/** Where a fault is met: the provider has no other beside it, a good one, or is good again at the second call. */
export const PLACES = ['alone', 'beside another', 'passing'] as const;
export type Place = (typeof PLACES)[number];

export const STORES = ['PostgreSQL', 'PostgreSQL and Redis'] as const;
export type Store = (typeof STORES)[number];

/** What a fault may do to the stores of its gateway. */
export interface StoreControl {
  cutDatabase(): void;
  holdDatabase(): void;
  mendDatabase(): Promise<void>;
  redis?: {
    stop(): Promise<void>;
    start(): Promise<void>;
    signal(name: 'SIGSTOP' | 'SIGCONT'): void;
    flush(): Promise<void>;
  };
}

export interface StoreDamage {
  damage(control: StoreControl): void | Promise<void>;
  mend(control: StoreControl): void | Promise<void>;
  /** While the answer is halted; before the request otherwise. */
  isMidway?: boolean;
}

export interface Fault {
  /** In the catalogue of failures: U of providers, C of clients, D of PostgreSQL, R of Redis. */
  id: string;
  name: string;
  course: Course;
  /** The error, where the caller gets one. */
  error?: Outcome;
  /** The status of a refusal that is passed on. */
  status?: number;
  reply(facts: ReplyFacts): Reply;
  /** Cells that there are not, each with its reason. */
  without?: { mode?: Mode; place?: Place; store?: Store; why: string }[];
  /** The provider goes silent: only these wait for the end of a time limit. */
  isSilent?: boolean;
  /** An address at which no provider answers. */
  address?: 'closed';
  leaves?: Departure;
  /** Calls at the afflicted provider may be more: a connection that breaks as it is reused is replaced. */
  countsVary?: boolean;
  /** The text of its answer, if it is not that of the provider. */
  text?: string;
  /** `retry-after` comes with the error. */
  hasRetryAfter?: boolean;
  store?: StoreDamage;
}

export interface ReplyFacts {
  /** What an honest answer says. */
  text: string;
  /** A provider that must not be called. */
  trapUrl: string;
  /** Resolves when a halted answer may go on. */
  released: Promise<unknown>;
}

export const SSE = 'text/event-stream';
/** Deltas of an answer. */
export const CHUNKS = 6;
/** How long the gateway waits for the first event of a silent provider; for whole answers five times as long. */
export const SILENCE_MS = 2_000;
