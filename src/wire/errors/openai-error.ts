import { chooseMessage } from './account-messages.ts';
import { type JsonValue, isJsonObject, parseJson } from '#base';
import { type FailureKind, type GatewayError, type UpstreamFailure, getErrorEntry } from '#errors';
import { type Static, Type } from 'typebox';
import type { FailedResponse } from '../contract.ts';
import { isArray, isObject, isPresent, itemsOf } from '../body/read-field.ts';
import { parseRetryAfter } from './retry-after.ts';
import type { Members, Unchecked } from '../body/unchecked.ts';

const MOST_DETAIL = 2048;
const SECRET = /\b(?:sk|pk|rk|gsk|xai|slc)[-_][\w.*-]{8,}|\bAIza[\w-]{10,}|\bBearer\s+[\w.~+/=-]{8,}/g;

/** The error body of every endpoint that does not speak Messages. */
export const openaiErrorSchema = Type.Object(
  {
    error: Type.Object({
      message: Type.String(),
      type: Type.String(),
      param: Type.String(),
      code: Type.String(),
    }),
  },
  { title: 'Error' },
);

type ErrorBody = Static<typeof openaiErrorSchema>;

/** Encodes an error for the OpenAI formats; an upstream's own type, code and param win over ours. */
export function encodeError(error: GatewayError): ErrorBody {
  const { upstreamType, upstreamCode } = error.facts;
  return {
    error: {
      message: error.message,
      type: upstreamType ?? getErrorEntry(error.code).openaiType,
      param: error.param,
      code: upstreamCode ?? error.code,
    },
  };
}

/** Error bodies of providers, in every variant seen. */
interface UpstreamError {
  message: string;
  type: string;
  code: string | number;
  param: string;
  status: string | number;
  details: { retryDelay: string }[];
  metadata: { raw: string };
}
interface Detail extends UpstreamError {
  msg: string;
  loc: (string | number)[];
}
interface UpstreamErrorBody extends Omit<UpstreamError, 'error'> {
  error: UpstreamError | string;
  errors: UpstreamError[];
  detail: Detail | Detail[] | string;
  object: string;
  choices: object[];
}

/** The parts of an error body, independent of its variant. */
interface ProviderError {
  message?: string;
  type?: string;
  code?: string;
  param?: string;
  /** A status inside the body. */
  status?: number;
  retryAfterSeconds?: number;
}

/** Reads an error response. */
export function decodeFailure(response: FailedResponse): UpstreamFailure {
  const value = parseJson(response.body);
  const given = value === undefined ? undefined : readError(value);
  const failure = createFailure(given ?? {}, response.status);
  const seconds = parseRetryAfter(response.headers) ?? given?.retryAfterSeconds;
  if (seconds !== undefined) failure.retryAfterSeconds = seconds;
  failure.detail = hideSecrets(response.body).slice(0, MOST_DETAIL);
  return failure;
}

/** The failure in a body or chunk that claims success, if any. */
export function findFailure(value: JsonValue, isNamedError = false): UpstreamFailure | undefined {
  if (!isNamedError && !isError(value)) return undefined;
  const given = readError(value) ?? {};
  const failure = createFailure(given, undefined);
  failure.detail = hideSecrets(describeValue(value)).slice(0, MOST_DETAIL);
  if (given.retryAfterSeconds !== undefined) failure.retryAfterSeconds = given.retryAfterSeconds;
  return failure;
}

/** The failure for bytes that are not an answer. */
export function createGarbled(
  data: string,
  message = 'the provider returned a malformed response',
): UpstreamFailure {
  return { kind: 'garbled', message, detail: data.slice(0, MOST_DETAIL) };
}

/** A value as text for the operator; nothing if it is nested too deeply to print. */
export function describeValue(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
}

type MaybeError = Unchecked<UpstreamErrorBody | UpstreamErrorBody[]>;

function isError(value: MaybeError): boolean {
  if (isArray(value)) return value.some((item) => isJsonObject(item) && isError(item));
  if (!isObject(value)) return false;
  const { error, choices, message, detail, errors, object, type } = value;
  if (error) return true;
  if (Array.isArray(choices)) return false;
  if (Array.isArray(errors) && errors.length > 0) return true;
  return (
    object === 'error' ||
    type === 'error' ||
    typeof message === 'string' ||
    (detail !== undefined && detail !== null)
  );
}

function readError(value: MaybeError): ProviderError | undefined {
  if (typeof value === 'string') return { message: value };
  if (isArray(value)) {
    const first = value.find((item) => item !== null && !Array.isArray(item));
    return first === undefined ? undefined : readError(first);
  }
  if (!isObject(value)) return undefined;
  const { error, errors, detail, message } = value;
  if (isObject(error)) return readMembers(error);
  if (typeof error === 'string' && error !== '') return { ...readMembers(value), message: error };
  if (typeof message === 'string') return readMembers(value);
  if (isPresent(detail))
    return isObject(detail) || isArray(detail) ? readDetail(detail) : { message: String(detail) };
  return isArray(errors) ? readError(errors) : readMembers(value);
}

/** FastAPI sends `detail` as text, as an error object, or as a list of `{ loc, msg }`. */
function readDetail(detail: Unchecked<Detail | Detail[]>): ProviderError | undefined {
  const first = isArray(detail) ? detail[0] : detail;
  if (!isObject(first)) return readError(detail);
  const { msg: message, loc } = first;
  if (typeof message !== 'string') return readError(first);
  const place = itemsOf(loc)
    .filter((step) => typeof step === 'number' || typeof step === 'string')
    .filter((step) => step !== 'body')
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
  return {
    message: place === '' ? message : `${place}: ${message}`,
    ...(place !== '' && { param: place }),
  };
}

function readMembers(error: Members<UpstreamError>): ProviderError {
  const { message, type, code, param, status, details, metadata } = error;
  const given: ProviderError = {};
  if (typeof message === 'string' && message !== '') given.message = message;
  if (typeof type === 'string' && type !== '') given.type = type;
  else if (typeof status === 'string' && status !== '') given.type = status; // Google's RESOURCE_EXHAUSTED
  if (typeof code === 'string' && code !== '') given.code = code;
  if (typeof param === 'string' && param !== '') given.param = param;
  const number = [code, status]
    .map(Number)
    .find((item) => Number.isInteger(item) && item >= 400 && item < 600);
  if (number !== undefined) given.status = number;
  const seconds = readRetryDelay(details);
  if (seconds !== undefined) given.retryAfterSeconds = seconds;
  // OpenRouter wraps the provider's message.
  if (isObject(metadata) && typeof metadata.raw === 'string' && given.message !== undefined)
    given.message = `${given.message}: ${metadata.raw}`;
  return given;
}

function readRetryDelay(details: Members<UpstreamError>['details']): number | undefined {
  const delays = itemsOf(details).map((item) => (isObject(item) ? item.retryDelay : undefined));
  const text = delays.find((delay) => typeof delay === 'string');
  const seconds = text === undefined ? Number.NaN : Number.parseFloat(text);
  return Number.isFinite(seconds) ? Math.min(3600, Math.max(1, Math.ceil(seconds))) : undefined;
}

function createFailure(given: ProviderError, httpStatus: number | undefined): UpstreamFailure {
  const status = httpStatus !== undefined && httpStatus >= 300 ? httpStatus : given.status;
  const kind = classify(given, status);
  const failure: UpstreamFailure = {
    kind,
    message: chooseMessage(kind, given.message && hideSecrets(given.message), status),
  };
  if (status !== undefined) failure.status = status;
  else if (kind === 'request-refused' || kind === 'content-refused') failure.status = 400;
  if (given.type !== undefined) failure.type = given.type;
  if (given.code !== undefined) failure.code = given.code;
  if (given.param !== undefined) failure.param = given.param;
  return failure;
}

/** OpenAI, Moonshot and Alibaba report an account without money as a rate limit or a bad request; it lasts longer than a rate limit. */
const EMPTY_ACCOUNT = /insufficient_quota|exceeded_current_quota|billing_hard_limit|arrearage/i;

/** Whether the type or code of an error, in any format, reports an account without money. */
export function isEmptyAccount(words: string): boolean {
  return EMPTY_ACCOUNT.test(words);
}

function classify(given: ProviderError, status: number | undefined): FailureKind {
  const words = `${given.type ?? ''} ${given.code ?? ''}`.toLowerCase();
  if (/content.?filter|content.?policy|data_inspection_failed|sensitive|moderation/.test(words))
    return 'content-refused';
  if (/invalid.?api.?key|api_key_invalid/.test(words)) return 'credential-refused';
  if (isEmptyAccount(words)) return 'out-of-quota';
  return status === undefined ? classifyWords(words) : classifyStatus(status);
}

/** Statuses of a proxy or load balancer in front of a provider; the caller cannot fix any of them. */
export const OF_CONNECTION: ReadonlySet<number | undefined> = new Set([407, 421, 425, 426]);

function classifyStatus(status: number): FailureKind {
  if (OF_CONNECTION.has(status)) return 'broken';
  if (status === 401 || status === 403) return 'credential-refused';
  if (status === 402) return 'out-of-quota';
  if (status === 429) return 'rate-limited';
  if (status === 503 || status === 529) return 'overloaded';
  if (status === 408 || status === 504) return 'timed-out';
  return status >= 400 && status < 500 ? 'request-refused' : 'broken';
}

function classifyWords(words: string): FailureKind {
  if (/rate.?limit|quota|resource_exhausted|too.?many/.test(words)) return 'rate-limited';
  if (/overload|unavailable|capacity|insufficient_system_resource/.test(words)) return 'overloaded';
  if (/timeout|timed.?out|deadline/.test(words)) return 'timed-out';
  if (/billing/.test(words)) return 'out-of-quota';
  if (/authentication|permission|unauthenticated/.test(words)) return 'credential-refused';
  if (
    /invalid.?(?:request|prompt|image|base64)|image_(?:too|parse|file)|context_length|invalid_argument|bad_request|unsupported/.test(
      words,
    )
  )
    return 'request-refused';
  return 'broken';
}

function hideSecrets(text: string): string {
  return text.replace(SECRET, '[secret]');
}
