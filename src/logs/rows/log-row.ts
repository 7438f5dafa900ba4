import type { Usage } from '#canonical';
import type { GatewayError } from '#errors';
import type { CacheMiss } from './miss.ts';

/** Finish reasons of a request. */
export const LOG_FINISHES = [
  'completed',
  'length',
  'tool_calls',
  'content_filter',
  'canceled',
  'client_error',
  'upstream_error',
  'gateway_error',
] as const;

export type LogFinish = (typeof LOG_FINISHES)[number];

/** The finish reason of a request that ended with an error. */
export function toErrorFinish({ blame }: Pick<GatewayError, 'blame'>): LogFinish {
  if (blame === 'upstream') return 'upstream_error';
  return blame === 'gateway' ? 'gateway_error' : 'client_error';
}

/** Whether a request failed; one that its client ended did not. */
export const isFailedFinish = (finish: LogFinish): boolean => finish.endsWith('_error');

/** What a filter selects: a finish reason, or all of requests that failed. */
export type LogFinishFilter = LogFinish | 'error';

/** One call of a provider for a request. */
export interface LogAttempt {
  providerId: string;
  externalId: string;
  /** `answered`, or the kind of failure. */
  outcome: string;
  status?: number;
  /** From the arrival of the request; absent in rows of earlier versions. */
  startMs?: number;
  durationMs: number;
  /** Why it was made (`Reason` of routing); absent in rows of earlier versions. */
  reason?: string;
  /** The experiment that the request takes part in, and its variant: `name/variant`. */
  experiment?: string;
  /** How long the request waited for it. */
  waitedMs?: number;
  /** How long it then waited for a connection; absent on one that was open. */
  connectMs?: number;
  /** Of an attempt that did not answer: USD per million tokens of input and output. */
  price?: { input: string; output: string };
  /** `own` if the organization's own was used; the name of the gateway's, where its provider has several. */
  credential?: string;
}

/** A count of something other than tokens, such as images of a size. */
export interface LogUnit {
  unit: string;
  kind?: string;
  count: number;
}

/** A factor in a part of a bill. */
interface LogFactor {
  name: string;
  /** The value that was billed. */
  value: string;
  /** The requested value, or the default that applied. */
  requested?: string;
  /** A decimal such as `1.1`. */
  factor: string;
  /** Its price is unknown, and the operator allows that. */
  unpriced?: true;
  /** The amount it added, in pico-USD as decimal digits; negative for a discount. */
  amount: string;
}

/** A part of a bill: one model's usage at its price version and factors. Counts of 0 are omitted. */
export interface LogPart {
  /** Who billed it; absent in rows of earlier versions. */
  providerId?: string;
  model: string;
  priceVersion: string;
  usage: Partial<Usage>;
  factors: readonly LogFactor[];
  /** Pico-USD in decimal digits, without unit charges. */
  amount: string;
}

/** The client, session, agent and user that a request names; none of it is verified. */
export interface LogNames {
  /** The program, such as `claude-code`, and its version. */
  clientName?: string;
  clientVersion?: string;
  sessionId?: string;
  /** Absent for the main agent of a session. */
  agentId?: string;
  /** Of an agent: the one that started it; absent if that is the main agent. */
  parentAgentId?: string;
  /** A task of several turns. */
  runId?: string;
  turnId?: string;
  /** The application's name for its end user; from a session token, which is verified, if there is one. */
  endUserId?: string;
  tags?: Readonly<Record<string, string>>;
}

/** The log row of a request. */
export interface LogRow extends LogNames {
  requestId: string;
  organizationId: string;
  projectId: string;
  keyId: string;
  /** Milliseconds since the Unix epoch. */
  startedAt: number;
  endpoint: string;
  format: string;
  stream: boolean;
  requestedModel: string;
  modelId?: string;
  providerId?: string;
  externalId?: string;
  /** Whose credential was used, and so who is billed by the provider; absent if none was called. */
  credential?: 'own' | 'gateway';
  finishReason: LogFinish;
  status: number;
  errorCode?: string;
  errorMessage?: string;
  /** Replayed from the cache. */
  cached: boolean;
  /** The usage was estimated here, not reported by the provider. */
  estimated: boolean;
  usage: Usage;
  /** Other counted units; absent if there are none. */
  units?: readonly LogUnit[];
  /** The priced parts of the bill; absent if it is the usage at the row's own price. */
  modifiers?: readonly LogPart[];
  /** Pico-USD in decimal digits. */
  customer: string;
  provider: string;
  priceVersion?: string;
  attempts: readonly LogAttempt[];
  firstEventMs?: number;
  durationMs: number;
  /** The client's own name for the request; not verified. */
  clientRequestId?: string;
  userAgent?: string;
  /** The end user's session token that was used instead of a key. */
  sessionTokenId?: string;
  /** The member of the organization who owns the key. */
  memberId?: string;
  upstreamId?: string;
  /** Absent if its provider read all from the cache that an earlier request of its session had put there. */
  cacheMiss?: CacheMiss;
  /**
   * The savings by cache marks that the gateway set: pico-USD in decimal digits, negative for a loss; absent without
   * them.
   */
  cacheSaved?: string;
  /** The prompt of a session as hashes, in base64; not read back with a row. */
  promptChain?: string;
}
