import { objectOf } from '../body/read-answer.ts';
import type { Members } from '../body/unchecked.ts';
import { type CreatedObject, NO_OBJECTS } from '../format-facts.ts';
import { toCreated } from '../objects/to-created.ts';

type CreatingItem = Members<{
  type: string;
  container_id: string;
  file_id: string;
  environment: { container_id: string };
}>;

/** Citations of files created by code. */
const FILE_CITATIONS: ReadonlySet<unknown> = new Set(['container_file_citation', 'file_path']);

/** The containers that an item names as created. */
export function listOfItem({ type, container_id: own, environment }: CreatingItem): readonly CreatedObject[] {
  if (type === 'code_interpreter_call') return toCreated(own);
  return type === 'shell_call' ? toCreated(objectOf(environment).container_id) : NO_OBJECTS;
}

/** A file that a citation names as created, and its container. */
export function listOfCitation({
  type,
  container_id: container,
  file_id: file,
}: CreatingItem): readonly CreatedObject[] {
  return FILE_CITATIONS.has(type) ? [...toCreated(container), ...toCreated(file)] : NO_OBJECTS;
}
