import type { Annotation, Block } from '#canonical';
import { readCitation } from '../../answer/citation.ts';
import { isObject, itemsOf } from '../../body/read-field.ts';
import type { Members, Unchecked } from '../../body/unchecked.ts';
import type { GeminiCandidate, GeminiGrounding, GeminiGroundingChunk } from './answer-schema.ts';

type Metadata = Members<GeminiCandidate>['groundingMetadata'];

/** The pages an answer cites, as neutral citations; the metadata itself goes to Gemini clients only. */
export function listCitations(metadata: Metadata): Annotation[] {
  if (!isObject(metadata)) return [];
  return itemsOf(metadata.groundingChunks)
    .map(toCitation)
    .filter((found) => found !== undefined);
}

function toCitation(chunk: Unchecked<GeminiGroundingChunk>): Annotation | undefined {
  const page = isObject(chunk) ? (chunk.web ?? chunk.retrievedContext) : undefined;
  if (!isObject(page) || typeof page.uri !== 'string') return undefined;
  const title = typeof page.title === 'string' ? page.title : '';
  return { format: 'chat', value: { type: 'url_citation', url_citation: { url: page.uri, title } } };
}

/** The searches Google ran for an answer. */
interface Lookups {
  searches: number;
  maps: number;
}

/** If an answer cites maps alone, its queries are map queries. */
export function countLookups(metadata: Metadata): Lookups {
  if (!isObject(metadata)) return NO_LOOKUPS;
  const { webSearchQueries, imageSearchQueries, groundingChunks } = metadata;
  const queries = countTexts(webSearchQueries) + countTexts(imageSearchQueries);
  const chunks = itemsOf(groundingChunks).filter(isObject);
  const hasMaps = chunks.some(({ maps }) => isObject(maps));
  const hasWeb = chunks.some(({ web, image }) => isObject(web) || isObject(image));
  if (!hasMaps) return { searches: Math.max(queries, hasWeb ? 1 : 0), maps: 0 };
  if (!hasWeb) return { searches: 0, maps: Math.max(1, queries) };
  return { searches: Math.max(1, queries), maps: 1 };
}

const NO_LOOKUPS: Lookups = { searches: 0, maps: 0 };

function countTexts(values: Unchecked<string[]> | undefined): number {
  return itemsOf(values).filter((value) => typeof value === 'string' && value !== '').length;
}

/** Citations of any format as grounding metadata; nothing without citations. */
export function encodeCitations(blocks: readonly Block[]): Members<GeminiGrounding> | undefined {
  const pages = new Map<string, Members<GeminiGroundingChunk>>();
  for (const block of blocks) {
    if (block.type !== 'text') continue;
    for (const annotation of block.annotations ?? []) {
      const { url, title } = readCitation(annotation) ?? {};
      if (url !== undefined) pages.set(url, { web: { uri: url, ...(title !== '' && { title }) } });
    }
  }
  return pages.size === 0 ? undefined : { groundingChunks: [...pages.values()] };
}
