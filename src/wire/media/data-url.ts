import type { JsonValue } from '#base';
import type { MediaSource } from '#canonical';
import { normalizeMediaType } from './media-type.ts';
import type { SchemaFault } from '../body/schema-notes.ts';

const DATA = /^data:/i;
const BASE64 = /^data:([^;,]*)(?:;[^;,]+){0,100}?;base64,/i;

/** The source of media: inside the request, a URL or a file. */
export interface Address {
  mediaType?: string;
  source: MediaSource;
}

/** Splits a data URL into media type and data; other URLs are kept. */
export function decodeAddress(url: string): Address {
  const match = BASE64.exec(url);
  if (!match) return { source: { url } };
  const source = { base64: url.slice(match[0].length) };
  return match[1] ? { mediaType: normalizeMediaType(match[1]), source } : { source };
}

export function encodeDataUrl(base64: string, mediaType: string): string {
  return `data:${mediaType};base64,${base64}`;
}

/** Refuses a data URL without base64. */
export function checkUrl(url: JsonValue): SchemaFault | undefined {
  return typeof url === 'string' && DATA.test(url) ? checkDataUrl(url) : undefined;
}

/** Refuses anything but a data URL with base64. */
export function checkDataUrl(url: JsonValue): SchemaFault | undefined {
  if (typeof url === 'string' && BASE64.test(url)) return undefined;
  return { steps: [], complaint: 'expected a data URL such as data:image/png;base64,…' };
}
