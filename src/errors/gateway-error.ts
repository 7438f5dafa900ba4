import { type PicoUsd, reasonOf } from '#base';
import type { Blame } from './entry.ts';
import type { ErrorCode } from './table.ts';
import { getErrorEntry } from './table.ts';

export interface ErrorFacts {
  /** For the operator's log; never shown to the caller. */
  detail?: string;
  /** The header, path part, query or body member at fault, such as `messages[0].content`. */
  param?: string;
  /** The kind of resource that was not found, such as `key`. */
  missing?: string;
  /** Seconds after which a retry may work; becomes `retry-after`. */
  retryAfterSeconds?: number;
  /** The upstream's HTTP status, for errors that are passed on. */
  status?: number;
  /** The upstream's `error.type` and `error.code`, for errors that are passed on. */
  upstreamType?: string;
  upstreamCode?: string;
  /** The budget that does not cover the request: its kind, what is left, and what the request needs. */
  shortage?: { budget: string; left: PicoUsd; needed: PicoUsd };
  cause?: unknown;
}

/** The one error class: an entry of the error table, the caller's message and the operator's detail. */
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

  /**
   * The part of the request at fault: a header, a part of the path, a member of the query or body; `''` if there is
   * none.
   */
  get param(): string {
    return this.facts.param ?? getErrorEntry(this.code).param;
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

/** The error of a part of a request that is not what it must be. */
export const createInvalid = (param: string, expected: string): GatewayError =>
  createParamError(param, `must be ${expected}`);

/** The error of one part of a request: its name, then what is wrong with it. */
export function createParamError(
  param: string,
  complaint: string,
  code: ErrorCode = 'invalid_request',
): GatewayError {
  return new GatewayError(code, `${param}: ${complaint}`, { param });
}

/** What went wrong, for the operator. */
export function detailOf(error: unknown): string {
  return (error instanceof GatewayError ? error.facts.detail : undefined) ?? reasonOf(error);
}

/** Converts any thrown value to a GatewayError. Unknown errors become `internal_error`; their text is only logged. */
export function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  const detail = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return new GatewayError('internal_error', 'internal error', { detail, cause: thrown });
}
