import type { JsonObject, JsonValue } from '#base';
import type { FormFile, MediaInput } from '#media';
import type { Arrival } from '../request/arrival.ts';
import { GatewayError } from '#errors';
import { isHeavy } from '../request/json-limits.ts';
import { inTurn, queueOf } from '../request/step-scheduler.ts';
import { type FormPart, parseForm, textOf } from './parse-form.ts';
import { readPlain } from '../path/receive.ts';
import { normalizeMediaType } from '#wire';

/** A body as bytes, for the cache key, and as fields and files for the medium's decoder. */
export interface ReceivedMedium {
  bytes: Buffer;
  input: MediaInput;
  /** As of a body: undefined if it is small. */
  queue: string | undefined;
}

/** RFC 2046: 1 to 70 of these characters. */
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70}))\s*(?:;|$)/i;

/** Reads a form into memory within bounds. */
export async function readForm(
  arrival: Pick<Arrival, 'headers' | 'readBody' | 'tenant'>,
): Promise<ReceivedMedium> {
  const boundary = findBoundary(String(arrival.headers['content-type'] ?? '').trim());
  const bytes = await readPlain(arrival);
  const queue = queueOf(arrival.tenant, isHeavy(bytes.length));
  const parts = await inTurn(queue, () => parseForm(bytes, boundary));
  return { bytes, input: { isForm: true, ...sortParts(parts) }, queue };
}

export function isForm(contentType: string): boolean {
  return /^multipart\/form-data\s*(?:;|$)/i.test(contentType.trim());
}

function findBoundary(contentType: string): string {
  if (!isForm(contentType))
    throw new GatewayError(
      'unsupported_media_type',
      `content-type must be multipart/form-data, not ${JSON.stringify(contentType.slice(0, 100))}`,
    );
  const [, quoted, bare] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary !== undefined) return boundary;
  throw new GatewayError('invalid_request', 'the content-type of the form has no boundary', {
    param: 'content-type',
  });
}

/** Values and files by name; `name[]` is a list even if it occurs once. */
function sortParts(parts: readonly FormPart[]): { body: JsonObject; files: Map<string, FormFile[]> } {
  const values = new Map<string, JsonValue>();
  const files = new Map<string, FormFile[]>();
  for (const part of parts) {
    const isList = part.name.endsWith('[]');
    const name = isList ? part.name.slice(0, -2) : part.name;
    const { filename, contentType = 'application/octet-stream', bytes } = part;
    if (filename !== undefined)
      files.set(name, [
        ...(files.get(name) ?? []),
        { filename, contentType: normalizeMediaType(contentType), bytes },
      ]);
    else addValue(values, name, { value: textOf(part), isList });
  }
  return { body: Object.fromEntries(values), files };
}

/** A repeated name becomes a list. */
function addValue(
  values: Map<string, JsonValue>,
  name: string,
  { value, isList }: { value: string; isList: boolean },
): void {
  const earlier = values.get(name);
  if (earlier === undefined) values.set(name, isList ? [value] : value);
  else values.set(name, Array.isArray(earlier) ? [...earlier, value] : [earlier, value]);
}
