import type { Usage } from '#canonical';
import type { GatewayError } from '#errors';

/** How a request may end. */
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

/** How a request ends that an error ended. */
export function toErrorFinish({ blame }: Pick<GatewayError, 'blame'>): LogFinish {
  if (blame === 'upstream') return 'upstream_error';
  return blame === 'gateway' ? 'gateway_error' : 'client_error';
}

/** One call of a provider on behalf of a request. */
export interface LogAttempt {
  providerId: string;
  externalId: string;
  /** `answered`, or why not. */
  outcome: string;
  status?: number;
  durationMs: number;
  /** Present where the organization's own credential was used. */
  credential?: 'own';
}

/** A count of something that is not tokens, such as images of a size. */
export interface LogUnit {
  unit: string;
  kind?: string;
  count: number;
}

/** A modifier that a part of a bill was multiplied by. */
export interface LogFactor {
  name: string;
  /** The value that was billed. */
  value: string;
  /** The value that was asked for, or that counted where none was. */
  requested?: string;
  /** A decimal such as `1.1`. */
  factor: string;
  /** Its price is not known, and the operator allows that. */
  unpriced?: true;
  /** What it added, in pico-USD as decimal digits; less than nothing for a discount. */
  amount: string;
}

/** A part of a bill: what one model used, at its price version, multiplied. Counts of 0 are left out. */
export interface LogPart {
  model: string;
  priceVersion: string;
  usage: Partial<Usage>;
  factors: readonly LogFactor[];
  /** Pico-USD in decimal digits, without what is counted by the unit. */
  amount: string;
}

/** The one row a request leaves behind. */
export interface LogRow {
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
  /** Whose credential the provider was called with, and so whom it bills; absent where none was called. */
  credential?: 'own' | 'gateway';
  finishReason: LogFinish;
  status: number;
  errorCode?: string;
  errorMessage?: string;
  /** Replayed from the cache. */
  cached: boolean;
  /** The usage is counted by us, not told by the provider. */
  estimated: boolean;
  usage: Usage;
  /** What else was counted; absent where nothing was. */
  units?: readonly LogUnit[];
  /** The parts the bill was priced in; absent where it is the usage at the row's own price. */
  modifiers?: readonly LogPart[];
  /** Pico-USD in decimal digits. */
  customer: string;
  provider: string;
  priceVersion?: string;
  attempts: readonly LogAttempt[];
  firstEventMs?: number;
  durationMs: number;
  /** The client's own name for the request; it is not believed. */
  clientRequestId?: string;
  userAgent?: string;
  sessionId?: string;
  agentId?: string;
  /** The end user's token that called in place of a key. */
  sessionTokenId?: string;
  /** The member of the organization who owns the key. */
  memberId?: string;
  /** The name under which the application knows its end user. */
  endUserId?: string;
  upstreamId?: string;
}

/** What is told of a request that has ended. */
export function summarizeRow(row: LogRow) {
  const { requestId, endpoint, status, finishReason, durationMs, modelId, providerId } = row;
  return { requestId, endpoint, status, finishReason, durationMs, model: modelId, provider: providerId };
}
