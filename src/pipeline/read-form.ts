import type { JsonObject, JsonValue } from '#base';
import type { FormFile } from '#media';
import type { Arrival } from './arrival.ts';
import type { ReceivedMedium } from './receive-medium.ts';
import { GatewayError } from '#errors';

const MOST_PARTS = 100;
const MOST_NAME = 200;
const MOST_FILENAME = 500;
/** RFC 2046: 1 to 70 characters, of which these. */
const FORM_TYPE = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70}))\s*(?:;.*)?$/i;

/** Reads a form into memory, after the checks that bound it. */
export async function readForm(arrival: Pick<Arrival, 'headers' | 'readBody'>): Promise<ReceivedMedium> {
  const contentType = String(arrival.headers['content-type'] ?? '').trim();
  const boundary = findBoundary(contentType);
  const encoding = arrival.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new GatewayError(
      'unsupported_encoding',
      'compressed request bodies are not accepted; send the body as it is',
    );
  const bytes = await arrival.readBody();
  if (countParts(bytes, boundary) > MOST_PARTS) refuse(`has more than ${MOST_PARTS} parts`);
  const form = await new Response(new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length), {
    headers: { 'content-type': contentType },
  })
    .formData()
    .catch(() => refuse('is not valid multipart/form-data'));
  return { bytes, input: { isForm: true, ...(await readParts(form)) } };
}

function findBoundary(contentType: string): string {
  if (!/^multipart\/form-data\b/i.test(contentType))
    throw new GatewayError(
      'unsupported_media_type',
      `content-type must be multipart/form-data, not ${JSON.stringify(contentType.slice(0, 100))}`,
    );
  const [, quoted, bare] = FORM_TYPE.exec(contentType) ?? [];
  return quoted ?? bare ?? refuse('names no boundary in its content-type');
}

function countParts(bytes: Buffer, boundary: string): number {
  const mark = Buffer.from(`--${boundary}`);
  let count = -1; // the last one ends the form
  for (let at = bytes.indexOf(mark); at !== -1 && count <= MOST_PARTS; at = bytes.indexOf(mark, at + mark.length))
    count += 1;
  return count;
}

async function readParts(form: FormData): Promise<{ body: JsonObject; files: Map<string, FormFile[]> }> {
  const values = new Map<string, JsonValue>();
  const files = new Map<string, FormFile[]>();
  for (const [written, value] of form.entries()) {
    if (written.length > MOST_NAME) refuse(`has a part whose name is longer than ${MOST_NAME} characters`);
    const isList = written.endsWith('[]');
    const name = isList ? written.slice(0, -2) : written;
    if (typeof value === 'string') addValue(values, name, { value, isList });
    else files.set(name, [...(files.get(name) ?? []), await toFile(value)]);
  }
  return { body: Object.fromEntries(values), files };
}

/** A name that comes again makes a list. */
function addValue(
  values: Map<string, JsonValue>,
  name: string,
  { value, isList }: { value: string; isList: boolean },
): void {
  const earlier = values.get(name);
  if (earlier === undefined) values.set(name, isList ? [value] : value);
  else values.set(name, Array.isArray(earlier) ? [...earlier, value] : [earlier, value]);
}

async function toFile(file: File): Promise<FormFile> {
  return {
    filename: file.name.slice(0, MOST_FILENAME),
    contentType: file.type === '' ? 'application/octet-stream' : file.type,
    bytes: Buffer.from(await file.arrayBuffer()),
  };
}

function refuse(complaint: string): never {
  throw new GatewayError('invalid_request', `the form ${complaint}`);
}
