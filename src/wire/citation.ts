import type { Annotation } from '#canonical';
import { type JsonObject, type JsonValue, isJsonObject } from '#base';

/** A cited page, independent of the format. */
export interface Citation {
  url: string;
  title: string;
  /** The cited range of the text; absent where the format does not report it. */
  place?: { start: number; end: number };
}

/** Reads a citation of any format; nothing for citations of documents. */
export function readCitation({ value }: Annotation): Citation | undefined {
  const { url_citation: nested, location } = value;
  const web = isJsonObject(location) ? location['web'] : undefined;
  const given: JsonObject = isJsonObject(nested) ? nested : isJsonObject(web) ? { ...value, ...web } : value;
  const { url, title, start_index: start, end_index: end } = given;
  if (typeof url !== 'string' || url === '') return undefined;
  return {
    url,
    title: typeof title === 'string' ? title : '',
    ...(typeof start === 'number' && typeof end === 'number' && { place: { start, end } }),
  };
}

/** Perplexity's list of sources, as citations of the whole answer. */
export function listSources({ search_results: results, citations }: JsonObject): Annotation[] {
  const sources = Array.isArray(results) && results.length > 0 ? results : citations;
  return Array.isArray(sources) ? sources.flatMap(toAnnotation) : [];
}

function toAnnotation(source: JsonValue): Annotation[] {
  const { url, title } = isJsonObject(source) ? source : { url: source, title: '' };
  if (typeof url !== 'string' || url === '') return [];
  const cited = { url, title: typeof title === 'string' ? title : '' };
  return [{ format: 'chat', value: { type: 'url_citation', url_citation: cited } }];
}
