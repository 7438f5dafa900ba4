import type { Blame } from './entry.ts';
import type { ErrorCode } from './table.ts';
import { GatewayError, type ErrorFacts } from './gateway-error.ts';
import { isOfMapping } from './refusals-of-mapping.ts';

/**
 * The ways an upstream fails. `broken` is an error it reports itself (5xx) or a truncated answer; `no-descriptor` is
 * not its fault: this process or machine cannot open another connection. `out-of-quota` is an account at the provider without
 * money or quota, which is not restored within minutes.
 */
export type FailureKind =
  | 'unreachable'
  | 'no-descriptor'
  | 'timed-out'
  | 'rate-limited'
  | 'overloaded'
  | 'credential-refused'
  | 'out-of-quota'
  | 'request-refused'
  | 'content-refused'
  | 'garbled'
  | 'broken';

/** A failed attempt. */
export interface UpstreamFailure {
  kind: FailureKind;
  /** The upstream's message if it concerns the caller, else the gateway's; secrets are redacted. */
  message: string;
  /** For the operator's log: at most 2 KiB of the answer. */
  detail?: string;
  /** HTTP status, if there was an answer. */
  status?: number;
  /** The upstream's own `error.type`, `error.code` and `error.param`. */
  type?: string;
  code?: string;
  param?: string;
  /** Seconds, clamped to 1…3600. */
  retryAfterSeconds?: number;
}

interface FailurePolicy {
  /** `repeat`: another mapping, or the same again if there is no other. */
  next: 'stop' | 'other-mapping' | 'repeat';
  blame: Blame;
  /** How long the mapping is ranked last after a first failure of this kind; 0 leaves it alone. */
  coolDownMs: number;
  error: ErrorCode;
}

/** The retry policy of each failure. It applies only until the first event of a generation is sent to the client. */
export const AFTER_FAILURE: Record<FailureKind, FailurePolicy> = {
  unreachable: {
    next: 'repeat',
    blame: 'upstream',
    coolDownMs: 5_000,
    error: 'upstream_unreachable',
  },
  'no-descriptor': { next: 'stop', blame: 'gateway', coolDownMs: 0, error: 'too_many_connections' },
  'timed-out': { next: 'other-mapping', blame: 'upstream', coolDownMs: 10_000, error: 'upstream_timed_out' },
  'rate-limited': {
    next: 'repeat',
    blame: 'upstream',
    coolDownMs: 5_000,
    error: 'upstream_rate_limited',
  },
  overloaded: { next: 'repeat', blame: 'upstream', coolDownMs: 5_000, error: 'upstream_overloaded' },
  'credential-refused': {
    next: 'other-mapping',
    blame: 'upstream',
    coolDownMs: 60_000,
    error: 'upstream_credential_refused',
  },
  'out-of-quota': {
    next: 'other-mapping',
    blame: 'upstream',
    coolDownMs: 60_000,
    error: 'upstream_out_of_quota',
  },
  'request-refused': { next: 'stop', blame: 'client', coolDownMs: 0, error: 'request_refused' },
  'content-refused': { next: 'stop', blame: 'client', coolDownMs: 0, error: 'content_refused' },
  garbled: { next: 'repeat', blame: 'upstream', coolDownMs: 5_000, error: 'upstream_garbled' },
  broken: { next: 'repeat', blame: 'upstream', coolDownMs: 2_000, error: 'upstream_broken' },
};

/** What follows a failure. Of a refused request another mapping is asked if the refusal is about the mapping. */
export function findNext(failure: UpstreamFailure): FailurePolicy['next'] {
  const { next } = AFTER_FAILURE[failure.kind];
  return failure.kind === 'request-refused' && isOfMapping(failure) ? 'other-mapping' : next;
}

/** Who can fix it. */
export function findBlame(kind: FailureKind): Blame {
  return AFTER_FAILURE[kind].blame;
}

const OF_CREDENTIAL: ReadonlySet<FailureKind> = new Set([
  'credential-refused',
  'out-of-quota',
  'rate-limited',
]);

/** Whether another credential of the provider may fare better; a 404 can mean that one account lacks the model. */
export function concernsCredential({ kind, status }: UpstreamFailure): boolean {
  return OF_CREDENTIAL.has(kind) || status === 404;
}

/** The caller's error when no mapping is left to try. */
export function toCallerError(failure: UpstreamFailure): GatewayError {
  const policy = AFTER_FAILURE[failure.kind];
  const facts: ErrorFacts = {};
  if (failure.detail !== undefined) facts.detail = failure.detail;
  if (failure.retryAfterSeconds !== undefined) facts.retryAfterSeconds = failure.retryAfterSeconds;
  if (policy.blame === 'client') {
    if (failure.status !== undefined) facts.status = failure.status;
    if (failure.param !== undefined) facts.param = failure.param;
    if (failure.type !== undefined) facts.upstreamType = failure.type;
    if (failure.code !== undefined) facts.upstreamCode = failure.code;
  }
  return new GatewayError(policy.error, failure.message, facts);
}
