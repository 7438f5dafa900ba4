import { type JsonObject } from '#base';
import type { Annotation } from '#canonical';

/** A citation as Chat tells it; one of another format keeps its address and title, or is left out without an address. */
export function encodeAnnotation(
  annotation: Annotation,
  place: { start: number; end: number },
): JsonObject | undefined {
  if (annotation.format === 'chat') return annotation.value;
  const { url, title } = annotation.value;
  if (typeof url !== 'string') return undefined;
  return {
    type: 'url_citation',
    url_citation: {
      url,
      title: typeof title === 'string' ? title : '',
      start_index: place.start,
      end_index: place.end,
    },
  };
}
