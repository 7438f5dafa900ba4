import type { JsonObject } from '#base';
import type { Arrival } from '../request/arrival.ts';
import { isUtf8 } from 'node:buffer';
import { type JsonSize, findJsonFault, isJsonObject, parseJson } from '#base';
import { GatewayError } from '#errors';
import {
  BODY_LIMITS,
  MAX_DEPTH,
  describeExcess,
  isHeavy,
  isSurelyLight,
  measure,
  measureAtOnce,
} from '../request/json-limits.ts';
import { inTurn, inTurns, queueOf } from '../request/step-scheduler.ts';

/** The fault of a longer body is not located: that takes several times as long as parsing it. */
const MOST_SEARCHED = 128 * 1024;

/** A body as bytes (for the cache key) and as the one parse everything else works on. */
export interface ReceivedBody {
  bytes: Buffer;
  body: JsonObject;
  /** The queue in which its steps wait for those of other large bodies; undefined for a small one. */
  queue: string | undefined;
}

/** Reads and parses the body once, after the checks that make parsing safe. */
export async function receive(
  arrival: Pick<Arrival, 'headers' | 'readBody' | 'tenant'>,
): Promise<ReceivedBody> {
  const type = arrival.headers['content-type'];
  if (type !== undefined && !isJsonMediaType(String(type))) {
    throw new GatewayError(
      'unsupported_media_type',
      `content-type must be application/json, not ${quote(String(type))}`,
    );
  }
  const bytes = await readPlain(arrival);
  if (!isUtf8(bytes)) throw new GatewayError('invalid_utf8', 'the body is not valid UTF-8');
  if (isSurelyLight(bytes)) return { bytes, body: parseBody(bytes.toString('utf8')), queue: undefined };
  const long = queueOf(arrival.tenant, isHeavy(bytes.length));
  const size =
    long === undefined ? measureAtOnce(bytes, BODY_LIMITS) : await inTurns(long, measure(bytes, BODY_LIMITS));
  refuseExcess(size);
  const queue = queueOf(arrival.tenant, isHeavy(bytes.length, size.values));
  const text = await inTurn(long, () => bytes.toString('utf8'));
  return { bytes, body: await inTurn(queue, () => parseBody(text)), queue };
}

/** Reads a body that is not compressed. */
export function readPlain({ headers, readBody }: Pick<Arrival, 'headers' | 'readBody'>): Promise<Buffer> {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return readBody();
  throw new GatewayError(
    'unsupported_encoding',
    'compressed request bodies are not accepted; send the body as it is',
  );
}

function isJsonMediaType(value: string): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(value.trim());
}

/** Refuses bodies that would take long to parse, and to walk after that. */
function refuseExcess(size: JsonSize): void {
  const { depth, largest } = size;
  if (depth > MAX_DEPTH) {
    throw new GatewayError('body_too_deep', `the body nests arrays and objects more than ${MAX_DEPTH} deep`);
  }
  const excess = describeExcess(size, BODY_LIMITS);
  if (excess === undefined) return;
  const param = largest.name.slice(0, 100);
  throw new GatewayError('invalid_request', `${param || 'the body'}: has ${excess}`, {
    ...(param !== '' && { param }),
  });
}

function parseBody(text: string): JsonObject {
  const body = parseJson(text);
  if (body === undefined) {
    throw new GatewayError(
      'invalid_json',
      text === '' ? 'the body is empty; a JSON object is required' : describeFault(text),
    );
  }
  if (!isJsonObject(body)) throw new GatewayError('invalid_request', 'the body must be a JSON object');
  return body;
}

function describeFault(text: string): string {
  if (text.length > MOST_SEARCHED) return 'the body is not valid JSON';
  const { line = 1, column = 1, problem = '' } = findJsonFault(text) ?? {};
  return `the body is not valid JSON: line ${line}, column ${column}: ${problem}`;
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
