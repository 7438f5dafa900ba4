import { type JsonObject, type JsonValue, isJsonObject, parseJson } from '#base';
import type { FailureKind, UpstreamFailure } from '#errors';
import type { FailedResponse } from './contract.ts';
import { parseRetryAfter } from './retry-after.ts';

const MOST_MESSAGE = 4096;
const MOST_DETAIL = 2048;
const SECRET = /\b(?:sk|pk|rk|gsk|xai|slc)[-_][\w.*-]{8,}|\bAIza[\w-]{10,}|\bBearer\s+[\w.~+/=-]{8,}/g;

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
export function createGarbled(data: string): UpstreamFailure {
  return {
    kind: 'garbled',
    message: 'the provider returned a malformed response',
    detail: data.slice(0, MOST_DETAIL),
  };
}

/** A value as text for the operator; nothing if it is nested too deeply to print. */
export function describeValue(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
}

function isError(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some((item) => isJsonObject(item) && isError(item));
  if (!isJsonObject(value)) return false;
  if (value['error']) return true;
  if (Array.isArray(value['choices'])) return false;
  const { message, detail, errors, object, type } = value;
  if (Array.isArray(errors) && errors.length > 0) return true;
  return (
    object === 'error' ||
    type === 'error' ||
    typeof message === 'string' ||
    (detail !== undefined && detail !== null)
  );
}

function readError(value: JsonValue): ProviderError | undefined {
  if (typeof value === 'string') return { message: value };
  if (Array.isArray(value)) {
    const first = value.find((item) => item !== null && !Array.isArray(item));
    return first === undefined ? undefined : readError(first);
  }
  if (!isJsonObject(value)) return undefined;
  const { error, errors, detail } = value;
  if (isJsonObject(error)) return readMembers(error);
  if (typeof error === 'string' && error !== '') return { ...readMembers(value), message: error };
  if (typeof value['message'] === 'string') return readMembers(value);
  if (detail !== undefined && detail !== null) {
    return isJsonObject(detail) || Array.isArray(detail) ? readDetail(detail) : { message: String(detail) };
  }
  return Array.isArray(errors) ? readError(errors) : readMembers(value);
}

/** FastAPI sends `detail` as text, as an error object, or as a list of `{ loc, msg }`. */
function readDetail(detail: JsonObject | JsonValue[]): ProviderError | undefined {
  const first = Array.isArray(detail) ? detail[0] : detail;
  if (!isJsonObject(first)) return readError(detail);
  if (typeof first['msg'] !== 'string') return readError(first);
  const steps = Array.isArray(first['loc']) ? first['loc'] : [];
  const place = steps
    .filter((step) => typeof step === 'number' || typeof step === 'string')
    .filter((step) => step !== 'body')
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
  return {
    message: place === '' ? first['msg'] : `${place}: ${first['msg']}`,
    ...(place !== '' && { param: place }),
  };
}

function readMembers(error: JsonObject): ProviderError {
  const { message, type, code, param, status, metadata } = error;
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
  const seconds = readRetryDelay(error['details']);
  if (seconds !== undefined) given.retryAfterSeconds = seconds;
  // OpenRouter wraps the provider's message.
  if (isJsonObject(metadata) && typeof metadata['raw'] === 'string' && given.message !== undefined) {
    given.message = `${given.message}: ${metadata['raw']}`;
  }
  return given;
}

function readRetryDelay(details: JsonValue | undefined): number | undefined {
  if (!Array.isArray(details)) return undefined;
  const delay = details.filter(isJsonObject).map((item) => item['retryDelay']);
  const text = delay.find((item) => typeof item === 'string');
  const seconds = text === undefined ? Number.NaN : Number.parseFloat(text);
  return Number.isFinite(seconds) ? Math.min(3600, Math.max(1, Math.ceil(seconds))) : undefined;
}

function createFailure(given: ProviderError, httpStatus: number | undefined): UpstreamFailure {
  const status = httpStatus !== undefined && httpStatus >= 300 ? httpStatus : given.status;
  const kind = classify(given, status);
  const failure: UpstreamFailure = { kind, message: chooseMessage(kind, given.message, status) };
  if (status !== undefined) failure.status = status;
  else if (kind === 'request-refused' || kind === 'content-refused') failure.status = 400;
  if (given.type !== undefined) failure.type = given.type;
  if (given.code !== undefined) failure.code = given.code;
  if (given.param !== undefined) failure.param = given.param;
  return failure;
}

/** The upstream's own message, because clients match on it; never one about the gateway's credential. */
function chooseMessage(kind: FailureKind, given: string | undefined, status: number | undefined): string {
  if (kind === 'credential-refused') return 'the provider refused the credential of this gateway';
  if (given) return hideSecrets(given).slice(0, MOST_MESSAGE);
  return status === undefined
    ? 'the provider reported an error'
    : `the provider answered with status ${status}`;
}

function classify(given: ProviderError, status: number | undefined): FailureKind {
  const words = `${given.type ?? ''} ${given.code ?? ''}`.toLowerCase();
  if (/content.?filter|content.?policy|data_inspection_failed|sensitive|moderation/.test(words))
    return 'content-refused';
  if (/invalid.?api.?key|api_key_invalid/.test(words)) return 'credential-refused';
  return status === undefined ? classifyWords(words) : classifyStatus(status);
}

function classifyStatus(status: number): FailureKind {
  if (status === 401 || status === 403 || status === 402) return 'credential-refused'; // 402: the operator's account is empty
  if (status === 429) return 'rate-limited';
  if (status === 503 || status === 529) return 'overloaded';
  if (status === 408 || status === 504) return 'timed-out';
  return status >= 400 && status < 500 ? 'request-refused' : 'broken';
}

function classifyWords(words: string): FailureKind {
  if (/rate.?limit|quota|resource_exhausted|too.?many/.test(words)) return 'rate-limited';
  if (/overload|unavailable|capacity|insufficient_system_resource/.test(words)) return 'overloaded';
  if (/timeout|timed.?out|deadline/.test(words)) return 'timed-out';
  if (/authentication|permission|unauthenticated|billing/.test(words)) return 'credential-refused';
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
