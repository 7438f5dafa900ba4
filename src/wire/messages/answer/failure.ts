import { parseJson } from '#base';
import type { FailureKind, UpstreamFailure } from '#errors';
import { chooseMessage } from '../../errors/account-messages.ts';
import type { FailedResponse } from '../../contract.ts';
import type { MessagesEvent, UpstreamError, UpstreamErrorBody } from './answer-schema.ts';
import { OF_CONNECTION, isEmptyAccount } from '../../errors/openai-error.ts';
import { isArray, isObject } from '../../body/read-field.ts';
import { parseRetryAfter } from '../../errors/retry-after.ts';
import type { Members, Unchecked } from '../../body/unchecked.ts';

const MOST_DETAIL = 2048;

/** Types that are more specific than a status. */
const KIND_OF_TYPE: ReadonlyMap<unknown, FailureKind> = new Map<unknown, FailureKind>([
  ['overloaded_error', 'overloaded'],
  ['rate_limit_error', 'rate-limited'],
  ['timeout_error', 'timed-out'],
]);

/** The statuses of Anthropic's types, for an error without one. */
const STATUS_OF_TYPE: ReadonlyMap<unknown, number> = new Map<unknown, number>([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['conflict_error', 409],
  ['request_too_large', 413],
]);

const KIND_OF_STATUS: ReadonlyMap<number, FailureKind> = new Map<number, FailureKind>([
  [401, 'credential-refused'],
  [402, 'out-of-quota'],
  [403, 'credential-refused'],
  [408, 'timed-out'],
  [429, 'rate-limited'],
  [503, 'overloaded'],
  [504, 'timed-out'],
  [529, 'overloaded'],
]);

export function decodeFailure({ status, headers, body }: FailedResponse): UpstreamFailure {
  const failure = readFailure(findErrorMember(parseJson(body)), status >= 400 ? status : undefined, body);
  const retryAfterSeconds = parseRetryAfter(headers);
  if (retryAfterSeconds !== undefined) failure.retryAfterSeconds = retryAfterSeconds;
  return failure;
}

/** An error in a stream or in a body that claims success. */
export function decodeErrorEvent(body: Members<MessagesEvent>): UpstreamFailure {
  return readFailure(findErrorMember(body), undefined, JSON.stringify(body));
}

/** The error of a body: `error`, which may be plain text, or the body itself. */
function findErrorMember(
  body: Unchecked<UpstreamErrorBody | UpstreamErrorBody[]> | undefined,
): Members<UpstreamError> {
  const value = isArray(body) ? body[0] : body;
  if (!isObject(value)) return {};
  const { error } = value;
  if (isObject(error)) return error;
  return typeof error === 'string' ? { ...value, message: error } : value;
}

function readFailure(
  error: Members<UpstreamError>,
  answered: number | undefined,
  body: string,
): UpstreamFailure {
  const type = typeof error.type === 'string' ? error.type : undefined;
  const status = answered ?? STATUS_OF_TYPE.get(type);
  const words = findWords(error);
  const code = findCode(error);
  const kind = toKind({ type, code, status, words: words ?? '' });
  const failure: UpstreamFailure = {
    kind,
    message: chooseMessage(kind, words, status),
    detail: body.slice(0, MOST_DETAIL),
  };
  if (status !== undefined) failure.status = status;
  if (type !== undefined) failure.type = type;
  if (code !== undefined) failure.code = code;
  if (typeof error.param === 'string') failure.param = error.param;
  return failure;
}

interface ReportedError {
  type: string | undefined;
  code: string | undefined;
  status: number | undefined;
  words: string;
}

function toKind({ type, code, status, words }: ReportedError): FailureKind {
  if (isEmptyAccount(`${type ?? ''} ${code ?? ''}`)) return 'out-of-quota';
  if (OF_CONNECTION.has(status)) return 'broken';
  const ofType = KIND_OF_TYPE.get(type);
  if (ofType) return ofType;
  // Anthropic reports both as a plain 400; neither is a fault of the caller's body.
  if (status === 400 && /credit balance is too low/i.test(words)) return 'out-of-quota';
  if (status === 400 && /content filtering policy/i.test(words)) return 'content-refused';
  const ofStatus = status === undefined ? undefined : KIND_OF_STATUS.get(status);
  if (ofStatus) return ofStatus;
  return status !== undefined && status >= 400 && status < 500 ? 'request-refused' : 'broken';
}

function findWords(error: Members<UpstreamError>): string | undefined {
  const words = error.message ?? error.detail;
  return typeof words === 'string' && words !== '' ? words : undefined;
}

function findCode(error: Members<UpstreamError>): string | undefined {
  const { details } = error;
  const code = (isObject(details) ? details.error_code : undefined) ?? error.code;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : undefined;
}
