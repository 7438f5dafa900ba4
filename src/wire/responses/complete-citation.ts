import { type JsonObject, type JsonValue, isJsonObject } from '#base';

/** Adds the title and range that clients expect of a URL citation; `end` is the length of its text. */
export function completeCitation(annotation: JsonObject, end: number): JsonObject {
  if (annotation['type'] !== 'url_citation' || isWhole(annotation)) return annotation;
  return { ...annotation, title: annotation['title'] ?? '', ...findPlace(annotation, end) };
}

function isWhole({ title, start_index: start, end_index: end }: JsonObject): boolean {
  return typeof title === 'string' && typeof start === 'number' && typeof end === 'number';
}

function findPlace({ start_index: start, end_index: end }: JsonObject, length: number): JsonObject {
  const isPlaced = typeof start === 'number' && typeof end === 'number';
  return isPlaced ? {} : { start_index: 0, end_index: length };
}

/** A message, or a part of one, with complete URL citations. */
export function completeCitations(holder: JsonObject): JsonObject {
  const { content, annotations, text } = holder;
  if (Array.isArray(content)) {
    const parts = content.map((part) => (isJsonObject(part) ? completeCitations(part) : part));
    return parts.every((part, at) => part === content[at]) ? holder : { ...holder, content: parts };
  }
  if (!Array.isArray(annotations) || annotations.length === 0) return holder;
  const length = typeof text === 'string' ? text.length : 0;
  const complete = annotations.map((one: JsonValue) =>
    isJsonObject(one) ? completeCitation(one, length) : one,
  );
  return complete.every((one, at) => one === annotations[at]) ? holder : { ...holder, annotations: complete };
}
