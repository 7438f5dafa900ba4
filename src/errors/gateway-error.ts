import type { Blame, ErrorCode } from './table.ts';
import { FAULTY_MEMBER } from './faulty-member.ts';
import { getErrorEntry } from './table.ts';

export interface ErrorFacts {
  /** For the operator's log; never shown to the caller. */
  detail?: string;
  /** The header, path part, query or body member at fault, such as `messages[0].content`. */
  param?: string;
  /** What was looked for and not found, such as `key`. */
  missing?: string;
  /** Seconds after which a retry may work; becomes `retry-after`. */
  retryAfterSeconds?: number;
  /** Status of the upstream's own answer, kept for errors that are passed on. */
  status?: number;
  /** The upstream's own `error.type` and `error.code`, kept for errors that are passed on. */
  upstreamType?: string;
  upstreamCode?: string;
  cause?: unknown;
}

/** The one error class: a row of the table, the caller's text and the operator's. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly facts: ErrorFacts;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.facts = facts;
  }

  get blame(): Blame {
    return getErrorEntry(this.code).blame;
  }

  /** What the request has at fault: a header, a part of the path, a member of query or body; `''` where it is nothing of these. */
  get param(): string {
    return this.facts.param ?? FAULTY_MEMBER[this.code];
  }

  /** HTTP status for callers of the OpenAI formats. */
  get status(): number {
    return this.facts.status ?? getErrorEntry(this.code).status;
  }

  /** HTTP status for callers of the Messages format. */
  get messagesStatus(): number {
    return this.facts.status ?? getErrorEntry(this.code).messagesStatus ?? getErrorEntry(this.code).status;
  }
}

/** Any thrown value as a GatewayError; a stranger becomes `internal_error` and keeps its text for the operator only. */
export function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  const detail = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return new GatewayError('internal_error', 'internal error', { detail, cause: thrown });
}
