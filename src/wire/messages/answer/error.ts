import { type GatewayError, type MessagesErrorType, getErrorEntry } from '#errors';
import type { messagesErrorSchema } from './answer-schema.ts';
import type { Static } from 'typebox';

type MessagesError = Static<typeof messagesErrorSchema>;

/** Anthropic's error types by the status of an upstream's refusal. */
const TYPE_OF_STATUS: ReadonlyMap<number, MessagesErrorType | 'conflict_error'> = new Map<
  number,
  MessagesErrorType | 'conflict_error'
>([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [409, 'conflict_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
]);

const TYPES: ReadonlySet<string> = new Set([
  ...TYPE_OF_STATUS.values(),
  'invalid_request_error',
  'api_error',
]);

export function encodeError(error: GatewayError, requestId: string): MessagesError {
  return { type: 'error', error: encodeErrorMember(error), request_id: requestId };
}

/** The `error` member of an error body or an `error` event. */
export function encodeErrorMember(error: GatewayError): MessagesError['error'] {
  const type = toErrorType(error);
  const member: MessagesError['error'] = { type, message: error.message };
  const code = findErrorCode(error, type);
  if (code !== undefined) member.details = { error_code: code };
  return member;
}

function findErrorCode({ code, facts }: GatewayError, type: string): string | undefined {
  const { upstreamCode, upstreamType } = facts;
  if (upstreamCode !== undefined && type === upstreamType) return upstreamCode;
  return getErrorEntry(code).messagesCode;
}

function toErrorType(error: GatewayError): string {
  const { upstreamType, status } = error.facts;
  if (upstreamType !== undefined && TYPES.has(upstreamType)) return upstreamType;
  const ofStatus = status === undefined ? undefined : TYPE_OF_STATUS.get(status);
  return ofStatus ?? getErrorEntry(error.code).messagesType;
}
