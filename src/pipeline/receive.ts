import type { JsonObject } from '#base';
import type { Arrival } from './arrival.ts';
import { isUtf8 } from 'node:buffer';
import { isJsonObject, measureDepth, parseJson } from '#base';
import { GatewayError } from '#errors';

export const MAX_DEPTH = 128;

/** A body as bytes (for the cache key) and as the one parse everything else works on. */
export interface Received {
  bytes: Buffer;
  body: JsonObject;
}

/** Reads and parses the body once, after the checks that make parsing safe. */
export async function receive(arrival: Pick<Arrival, 'headers' | 'readBody'>): Promise<Received> {
  const type = arrival.headers['content-type'];
  if (type !== undefined && !isJsonMediaType(String(type))) {
    throw new GatewayError(
      'unsupported_media_type',
      `content-type must be application/json, not ${quote(String(type))}`,
    );
  }
  const bytes = await readPlain(arrival);
  return { bytes, body: parseBody(bytes) };
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

function parseBody(bytes: Buffer): JsonObject {
  if (!isUtf8(bytes)) throw new GatewayError('invalid_utf8', 'the body is not valid UTF-8');
  if (measureDepth(bytes, MAX_DEPTH) > MAX_DEPTH) {
    throw new GatewayError('body_too_deep', `the body nests arrays and objects more than ${MAX_DEPTH} deep`);
  }
  const body = parseJson(bytes.toString('utf8'));
  if (body === undefined) {
    throw new GatewayError(
      'invalid_json',
      bytes.length === 0 ? 'the body is empty; a JSON object is required' : 'the body is not valid JSON',
    );
  }
  if (!isJsonObject(body)) throw new GatewayError('invalid_request', 'the body must be a JSON object');
  return body;
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
