import { type JsonObject } from '#base';
import type { Annotation } from '#canonical';

/**
 * A citation as Chat tells it; one of another format keeps its address and title, or is left out without an address. It
 * stands where it says within its text, else on the whole of it.
 */
export function encodeAnnotation(
  annotation: Annotation,
  place: { start: number; end: number },
): JsonObject | undefined {
  if (annotation.format === 'chat') return annotation.value;
  const { url, title, start_index: from, end_index: to } = annotation.value;
  if (typeof url !== 'string') return undefined;
  const isPlaced = typeof from === 'number' && typeof to === 'number';
  return {
    type: 'url_citation',
    url_citation: {
      url,
      title: typeof title === 'string' ? title : '',
      start_index: isPlaced ? place.start + from : place.start,
      end_index: isPlaced ? place.start + to : place.end,
    },
  };
}
