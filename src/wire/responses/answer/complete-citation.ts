import { forwardList } from '../../request/forwarding.ts';
import { isArray, isObject } from '../../body/read-field.ts';
import type { AnswerAnnotation, AnswerItem, AnswerPart } from './answer-schema.ts';

/** Adds the title and range that clients expect of a URL citation; `end` is the length of its text. */
export function completeCitation(annotation: AnswerAnnotation, end: number): AnswerAnnotation {
  if (annotation.type !== 'url_citation' || isWhole(annotation)) return annotation;
  return { ...annotation, title: annotation.title ?? '', ...findPlace(annotation, end) };
}

function isWhole({ title, start_index: start, end_index: end }: AnswerAnnotation): boolean {
  return typeof title === 'string' && typeof start === 'number' && typeof end === 'number';
}

function findPlace(
  { start_index: start, end_index: end }: AnswerAnnotation,
  length: number,
): AnswerAnnotation {
  const isPlaced = typeof start === 'number' && typeof end === 'number';
  return isPlaced ? {} : { start_index: 0, end_index: length };
}

/** A message with complete URL citations. */
export function completeCitations(message: AnswerItem): AnswerItem {
  const { content } = message;
  if (!isArray(content)) return message;
  const parts = forwardList(content, (part) => (isObject(part) ? completePart(part) : part));
  return parts === content ? message : { ...message, content: parts };
}

/** The same for a part of one. */
export function completePart(part: AnswerPart): AnswerPart {
  const { annotations, text } = part;
  if (!isArray(annotations)) return part;
  const length = typeof text === 'string' ? text.length : 0;
  const complete = forwardList(annotations, (one) => (isObject(one) ? completeCitation(one, length) : one));
  return complete === annotations ? part : { ...part, annotations: complete };
}
