import type { Annotation } from '#canonical';
import { readCitation } from '../../answer/citation.ts';
import { isObject } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';
import type { ChatAnnotation } from './answer-schema.ts';

/**
 * Encodes a citation for Chat. One of another format keeps its address and title and is dropped without an address.
 * Covers its stated range of the text, else all of it.
 */
export function encodeAnnotation(
  annotation: Annotation,
  place: { start: number; end: number },
): Members<ChatAnnotation> | undefined {
  if (isComplete(annotation)) return annotation.value;
  const citation = readCitation(annotation);
  if (!citation) return annotation.format === 'chat' ? annotation.value : undefined;
  // Chat positions already refer to the whole message.
  const from = annotation.format === 'chat' ? 0 : place.start;
  return {
    type: 'url_citation',
    url_citation: {
      url: citation.url,
      title: citation.title,
      start_index: citation.place ? from + citation.place.start : place.start,
      end_index: citation.place ? from + citation.place.end : place.end,
    },
  };
}

/** Whether a citation is a complete Chat citation, which can be sent at once. */
export function isComplete({ format, value }: Annotation): boolean {
  const { url_citation: cited }: Members<ChatAnnotation> = value;
  if (format !== 'chat' || !isObject(cited)) return format === 'chat';
  const { title, start_index: start, end_index: end } = cited;
  return typeof title === 'string' && typeof start === 'number' && typeof end === 'number';
}
