import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { Annotation, Block } from '#canonical';
import { readCitation } from '../citation.ts';

/** The pages an answer cites, as neutral citations; the metadata itself goes to Gemini clients only. */
export function listCitations(metadata: JsonValue | undefined): Annotation[] {
  if (!isJsonObject(metadata) || !Array.isArray(metadata['groundingChunks'])) return [];
  return metadata['groundingChunks'].map(toCitation).filter((found) => found !== undefined);
}

function toCitation(chunk: JsonValue): Annotation | undefined {
  const page = isJsonObject(chunk) ? (chunk['web'] ?? chunk['retrievedContext']) : undefined;
  if (!isJsonObject(page) || typeof page['uri'] !== 'string') return undefined;
  const title = typeof page['title'] === 'string' ? page['title'] : '';
  return { format: 'chat', value: { type: 'url_citation', url_citation: { url: page['uri'], title } } };
}

/** The lookups Google made for an answer. */
export interface Lookups {
  searches: number;
  maps: number;
}

/** If an answer cites maps alone, its queries are map queries. */
export function countLookups(metadata: JsonValue | undefined): Lookups {
  if (!isJsonObject(metadata)) return NO_LOOKUPS;
  const { webSearchQueries, imageSearchQueries, groundingChunks } = metadata;
  const queries = countTexts(webSearchQueries) + countTexts(imageSearchQueries);
  const chunks = Array.isArray(groundingChunks) ? groundingChunks.filter(isJsonObject) : [];
  const hasMaps = chunks.some((chunk) => isJsonObject(chunk['maps']));
  const hasWeb = chunks.some((chunk) => isJsonObject(chunk['web']) || isJsonObject(chunk['image']));
  if (!hasMaps) return { searches: Math.max(queries, hasWeb ? 1 : 0), maps: 0 };
  if (!hasWeb) return { searches: 0, maps: Math.max(1, queries) };
  return { searches: Math.max(1, queries), maps: 1 };
}

const NO_LOOKUPS: Lookups = { searches: 0, maps: 0 };

function countTexts(values: JsonValue | undefined): number {
  return Array.isArray(values)
    ? values.filter((value) => typeof value === 'string' && value !== '').length
    : 0;
}

/** Citations of any format as grounding metadata; nothing without citations. */
export function encodeCitations(blocks: readonly Block[]): JsonObject | undefined {
  const pages = new Map<string, JsonObject>();
  for (const block of blocks) {
    if (block.type !== 'text') continue;
    for (const annotation of block.annotations ?? []) {
      const { url, title } = readCitation(annotation) ?? {};
      if (url !== undefined) pages.set(url, { web: { uri: url, ...(title !== '' && { title }) } });
    }
  }
  return pages.size === 0 ? undefined : { groundingChunks: [...pages.values()] };
}
