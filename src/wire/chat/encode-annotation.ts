import { type JsonObject, isJsonObject } from '#base';
import type { Annotation } from '#canonical';
import { readCitation } from '../citation.ts';

/**
 * A citation as Chat tells it; one of another format keeps its address and title, or is left out without an address. It
 * stands where it says within its text, else on the whole of it.
 */
export function encodeAnnotation(
  annotation: Annotation,
  place: { start: number; end: number },
): JsonObject | undefined {
  if (isComplete(annotation)) return annotation.value;
  const citation = readCitation(annotation);
  if (!citation) return annotation.format === 'chat' ? annotation.value : undefined;
  // Places of Chat are those of the whole message already.
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

/** Whether a citation is one of Chat that lacks nothing, so that it can be told at once. */
export function isComplete({ format, value }: Annotation): boolean {
  const { url_citation: cited } = value;
  if (format !== 'chat' || !isJsonObject(cited)) return format === 'chat';
  const { title, start_index: start, end_index: end } = cited;
  return typeof title === 'string' && typeof start === 'number' && typeof end === 'number';
}
