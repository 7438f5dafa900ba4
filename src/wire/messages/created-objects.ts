import { objectOf } from '../body/read-answer.ts';
import { itemsOf } from '../body/read-field.ts';
import type { Members } from '../body/unchecked.ts';
import { type CreatedObject, NO_OBJECTS } from '../format-facts.ts';
import { toCreated } from '../objects/to-created.ts';

interface CreatingBlock {
  type: string;
  file_id: string;
  content: { content: { file_id: string }[] };
}

const RUN_CODE = /code_execution_tool_result$/;

/** The files that a block names as created. */
export function listOfBlock({
  type,
  file_id: file,
  content,
}: Members<CreatingBlock>): readonly CreatedObject[] {
  if (type === 'container_upload') return toCreated(file);
  if (typeof type !== 'string' || !RUN_CODE.test(type)) return NO_OBJECTS;
  return itemsOf(objectOf(content).content).flatMap((output) => toCreated(objectOf(output).file_id));
}
