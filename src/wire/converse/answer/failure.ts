import { parseJsonObject } from '#base';
import type { FailureKind, UpstreamFailure } from '#errors';
import { OF_CONNECTION } from '../../errors/openai-error.ts';
import { chooseMessage } from '../../errors/account-messages.ts';
import type { FailedResponse } from '../../contract.ts';
import { isObject } from '../../body/read-field.ts';
import { parseRetryAfter } from '../../errors/retry-after.ts';
import type { Members } from '../../body/unchecked.ts';
import type { ConverseException } from './answer-schema.ts';

type Exception = Members<ConverseException>;

const MOST_DETAIL = 2048;

/** AWS error names (lower case, without `Exception`), and the status of each in a stream. */
const KINDS: ReadonlyMap<string, [kind: FailureKind, status: number]> = new Map<
  string,
  [FailureKind, number]
>([
  ['throttling', ['rate-limited', 429]],
  ['servicequotaexceeded', ['rate-limited', 429]],
  ['toomanyrequests', ['rate-limited', 429]],
  ['modelnotready', ['overloaded', 429]],
  ['serviceunavailable', ['overloaded', 503]],
  ['modeltimeout', ['timed-out', 408]],
  ['modelerror', ['broken', 424]],
  ['modelstreamerror', ['broken', 424]],
  ['internalserver', ['broken', 500]],
  ['internalfailure', ['broken', 500]],
  ['validation', ['request-refused', 400]],
  ['resourcenotfound', ['request-refused', 404]],
  ['accessdenied', ['credential-refused', 403]],
  ['unrecognizedclient', ['credential-refused', 403]],
  ['invalidsignature', ['credential-refused', 403]],
  ['incompletesignature', ['credential-refused', 403]],
  ['missingauthenticationtoken', ['credential-refused', 403]],
  ['expiredtoken', ['credential-refused', 403]],
  ['optinrequired', ['credential-refused', 403]],
]);

const EXCEPTION = /exception$|error$/i;

/** Validation errors that concern the operator's region, profile or account. */
const OF_OPERATOR = /model identifier is invalid|on-demand throughput|operation not allowed|end of its life/i;

export function decodeFailure({ status, headers, body }: FailedResponse): UpstreamFailure {
  const given: Exception = parseJsonObject(body) ?? {};
  const header = headers['x-amzn-errortype'];
  const type = toType(Array.isArray(header) ? header[0] : header) ?? toType(given.__type);
  const failure = createFailure({ type, status, given });
  failure.detail = body.slice(0, MOST_DETAIL);
  const retryAfterSeconds = parseRetryAfter(headers);
  if (retryAfterSeconds !== undefined) failure.retryAfterSeconds = retryAfterSeconds;
  return failure;
}

/** An exception in a stream event, or in a body that claims success. */
export function decodeException(type: string | undefined, given: Exception): UpstreamFailure {
  const failure = createFailure({ type: type ?? toType(given.__type), status: 0, given });
  failure.detail = JSON.stringify(given).slice(0, MOST_DETAIL);
  return failure;
}

/** The failure that an event is by its name, if any. */
export function findEventFailure(name: string | undefined, event: Exception): UpstreamFailure | undefined {
  return name !== undefined && EXCEPTION.test(name) ? decodeException(name, event) : undefined;
}

interface ProviderFailure {
  type: string | undefined;
  /** 0 if the failure is not an HTTP response. */
  status: number;
  given: Exception;
}

function createFailure({ type, status: answered, given }: ProviderFailure): UpstreamFailure {
  const [kindOfType, statusOfType] = KINDS.get(toKey(type)) ?? [];
  const original = typeof given.originalStatusCode === 'number' ? given.originalStatusCode : undefined;
  const status = answered >= 300 ? answered : statusOfType;
  const words = findWords(given);
  let kind = kindOfType ?? kindOfStatus(status);
  if (kind === 'request-refused' && OF_OPERATOR.test(words ?? '')) kind = 'broken';
  if (kind === 'broken' && original === 429) kind = 'rate-limited';
  const failure: UpstreamFailure = { kind, message: chooseMessage(kind, words, status) };
  if (status !== undefined) failure.status = status;
  if (type !== undefined) failure.type = type;
  return failure;
}

function kindOfStatus(status: number | undefined): FailureKind {
  if (status === 401 || status === 403) return 'credential-refused';
  if (status === 402) return 'out-of-quota';
  if (status === 408 || status === 504) return 'timed-out';
  if (status === 429) return 'rate-limited';
  if (status === 503 || status === 529) return 'overloaded';
  if (OF_CONNECTION.has(status)) return 'broken';
  return status !== undefined && status >= 400 && status < 500 && status !== 424
    ? 'request-refused'
    : 'broken';
}

/** `ThrottlingException:http://internal.amazon.com/…` and `com.amazon.coral#ThrottlingException` are equal. */
function toType(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const type = value.split(':', 1)[0]?.split('#').at(-1)?.trim() ?? '';
  return type === '' ? undefined : type;
}

function toKey(type: string | undefined): string {
  return (type ?? '').toLowerCase().replace(/exception$/, '');
}

function findWords(given: Exception): string | undefined {
  // Proxies in front of Bedrock nest the message as other providers do.
  const inner = isObject(given.error) ? given.error.message : given.error;
  const words = given.message ?? given.Message ?? given.originalMessage ?? inner;
  return typeof words === 'string' && words !== '' ? words : undefined;
}
