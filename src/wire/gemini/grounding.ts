import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { Annotation, Block } from '#canonical';
import { readCitation } from '../citation.ts';

/** The pages an answer stands on, as the citations every client knows; the metadata itself goes to Gemini clients. */
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

/** How many searches Google ran for an answer. */
export function countSearches(metadata: JsonValue | undefined): number {
  const queries = isJsonObject(metadata) ? metadata['webSearchQueries'] : undefined;
  return Array.isArray(queries) ? queries.length : 0;
}

/** Citations of any format as grounding; nothing where an answer has none. */
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
