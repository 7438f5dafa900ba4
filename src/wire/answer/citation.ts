import type { Annotation } from '#canonical';
import type { JsonObject } from '#base';
import { isObject, itemsOf } from '../body/read-field.ts';
import { objectOf } from '../body/read-answer.ts';
import type { Members, Unchecked } from '../body/unchecked.ts';

/** Members of the formats' citations: flat, or nested under a name. */
interface Page {
  url: string;
  title: string;
  start_index: number;
  end_index: number;
}
type AnyCitation = Members<Page & { url_citation: Page; location: { web: Page } }>;

/** A cited page, independent of the format. */
interface Citation {
  url: string;
  title: string;
  /** The cited range of the text; absent where the format does not report it. */
  place?: { start: number; end: number };
}

/** Reads a citation of any format; nothing for citations of documents. */
export function readCitation({ value }: Annotation): Citation | undefined {
  const citation: AnyCitation = value;
  const { url_citation: nested, location } = citation;
  const { web } = objectOf(location);
  const given = isObject(nested) ? nested : isObject(web) ? { ...citation, ...web } : citation;
  const { url, title, start_index: start, end_index: end } = given;
  if (typeof url !== 'string' || url === '') return undefined;
  return {
    url,
    title: typeof title === 'string' ? title : '',
    ...(typeof start === 'number' && typeof end === 'number' && { place: { start, end } }),
  };
}

/** Perplexity's list of sources, as citations of the whole answer. */
export function listSources(answer: JsonObject): Annotation[] {
  const { search_results: results, citations }: Members<Sources> = answer;
  return itemsOf(itemsOf(results).length > 0 ? results : citations).flatMap(toAnnotation);
}

interface Sources {
  search_results: Page[];
  citations: string[];
}

function toAnnotation(source: Unchecked<Page | string>): Annotation[] {
  const { url, title }: Members<Page> = isObject(source) ? source : { url: source, title: '' };
  if (typeof url !== 'string' || url === '') return [];
  const cited = { url, title: typeof title === 'string' ? title : '' };
  return [{ format: 'chat', value: { type: 'url_citation', url_citation: cited } }];
}
