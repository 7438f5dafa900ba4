import { isUtf8 } from 'node:buffer';
import { GatewayError } from '#errors';

const MOST_PARTS = 100;
const MOST_NAME = 200;
const MOST_FILENAME = 500;
const MOST_HEADERS = 8 * 1024;
const LINE = Buffer.from('\r\n');
const BLANK_LINE = Buffer.from('\r\n\r\n');

/** One part of a form; its bytes are a view of the body. */
export interface FormPart {
  name: string;
  /** Absent if the part is a value rather than a file. */
  filename?: string;
  contentType?: string;
  bytes: Buffer;
}

/** Splits a `multipart/form-data` body (RFC 7578) into parts without copying. */
export function parseForm(body: Buffer, boundary: string): FormPart[] {
  const mark = Buffer.from(`\r\n--${boundary}`);
  const parts: FormPart[] = [];
  // The first boundary may be at the very beginning, without a preceding line break.
  let at = body.indexOf(mark.subarray(2)) + mark.length - 2;
  if (at < mark.length - 2 || at > mark.length + MOST_HEADERS)
    return refuse('is not valid multipart/form-data');
  for (;;) {
    if (body.toString('latin1', at, at + 2) === '--') return parts;
    if (parts.length === MOST_PARTS) return refuse(`has more than ${MOST_PARTS} parts`);
    const start = body.indexOf(LINE, at) + LINE.length;
    const end = body.indexOf(mark, start - LINE.length);
    if (start < LINE.length || end === -1) return refuse('is not valid multipart/form-data');
    parts.push(parsePart(body.subarray(start, end)));
    at = end + mark.length;
  }
}

function parsePart(part: Buffer): FormPart {
  const end = part.indexOf(BLANK_LINE);
  if (end === -1 || end > MOST_HEADERS) return refuse('is not valid multipart/form-data');
  const headers = part.toString('utf8', 0, end).split('\r\n');
  const parameters = readParameters(findHeader(headers, 'content-disposition') ?? '');
  const name = parameters.get('name');
  if (name === undefined) return refuse('has a part without a name');
  if (name.length > MOST_NAME) return refuse(`has a part whose name is longer than ${MOST_NAME} characters`);
  const filename = decodeExtended(parameters.get('filename*')) ?? parameters.get('filename');
  const contentType = findHeader(headers, 'content-type');
  return {
    name,
    ...(filename !== undefined && { filename: filename.slice(0, MOST_FILENAME) }),
    ...(contentType !== undefined && { contentType }),
    bytes: part.subarray(end + BLANK_LINE.length),
  };
}

function findHeader(lines: readonly string[], name: string): string | undefined {
  const line = lines.find((one) => one.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}

const FORM_DATA = /^form-data(?=\s*(?:;|$))/i;
const PARAMETER = /\s*;\s*([\w-]+\*?)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/y;

/**
 * Parsed one after the other, so that text inside quotes is not taken for a parameter; the first of a name counts.
 */
function readParameters(header: string): Map<string, string> {
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = FORM_DATA.exec(header)?.[0].length ?? header.length;
  for (let found = PARAMETER.exec(header); found; found = PARAMETER.exec(header)) {
    const [, written = '', quoted, bare = ''] = found;
    const name = written.toLowerCase();
    if (!parameters.has(name)) parameters.set(name, unquote(quoted) ?? bare);
  }
  return parameters;
}

/** Unescapes quotes as browsers (`%22`) and other clients (`\"`) write them. */
function unquote(quoted: string | undefined): string | undefined {
  return quoted
    ?.replaceAll(/\\(.)/g, '$1')
    .replaceAll(/%(22|0D|0A)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

const UTF8_VALUE = /^utf-8'[\w-]*'(.*)$/i;

/** `utf-8''gr%C3%BC%C3%9Fe`, which RFC 7578 forbids in forms but some clients send for names that are not ASCII. */
function decodeExtended(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const [, escaped] = UTF8_VALUE.exec(value) ?? [];
  try {
    return escaped === undefined ? value : decodeURIComponent(escaped);
  } catch {
    return value; // undecodable, but still marks the part as a file
  }
}

/** The text of a value part. */
export function textOf({ name, bytes }: FormPart): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : refuse(`has bytes in ${name} that are not valid UTF-8`);
}

function refuse(complaint: string): never {
  throw new GatewayError('invalid_request', `the form ${complaint}`);
}
