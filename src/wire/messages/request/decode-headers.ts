import type { HttpHeaders } from '#base';
import { refuse } from '../../body/read-field.ts';

const VERSION = /^[\w.-]{1,64}$/;
const BETA = /^[\x21-\x7e]{1,256}$/;
const SESSION = /^[\x21-\x7e]{1,256}$/;

/** `anthropic-beta` values in order; the header may be a comma list, repeated, or both. */
export function decodeBetas(headers: HttpHeaders): string[] {
  const header = headers['anthropic-beta'];
  if (header === undefined) return [];
  const values = (Array.isArray(header) ? header.join(',') : header).split(',');
  return values.map((value) => value.trim()).filter((value) => BETA.test(value));
}

/** The session reported by a Claude Code client. */
export function decodeSessionId(headers: HttpHeaders): string | undefined {
  const header = headers['x-claude-code-session-id'];
  const id = (Array.isArray(header) ? header[0] : header)?.trim();
  return id !== undefined && SESSION.test(id) ? id : undefined;
}

const CLIENT_PREFIX = 'x-claude-code-';
const CLIENT_VALUE = /^[\x20-\x7e]{1,1024}$/;
const MOST_CLIENT_HEADERS = 16;

/** Every header of Claude Code: newer versions send more, and only the provider knows their use. */
export function decodeClientHeaders(headers: HttpHeaders): Record<string, string> | undefined {
  let found: Record<string, string> | undefined;
  let count = 0;
  for (const name in headers) {
    if (!name.startsWith(CLIENT_PREFIX)) continue;
    const value = headers[name];
    if (typeof value !== 'string' || !CLIENT_VALUE.test(value) || count === MOST_CLIENT_HEADERS) continue;
    found ??= {};
    found[name] = value;
    count += 1;
  }
  return found;
}

/** `anthropic-version`: any well-formed one is accepted, because newer clients send newer versions. */
export function decodeVersion(headers: HttpHeaders): string | undefined {
  const header = headers['anthropic-version'];
  const version = (Array.isArray(header) ? header[0] : header)?.trim();
  if (version === undefined || version === '') return undefined;
  const [first = ''] = version.split(',', 1);
  if (!VERSION.test(first.trim())) refuse('anthropic-version', 'is not a version such as 2023-06-01');
  return first.trim();
}
