import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { Annotation, Block, Extra, GenerationEvent } from '#canonical';

/** Something that an answer has left in the account it was made with. */
interface MadeObject {
  id: string;
  /** Milliseconds since the Unix epoch, where the provider tells. */
  expiresAt?: number;
}

const NOTHING: readonly MadeObject[] = [];
const RUN_CODE = /code_execution_tool_result$/;
/** Citations of files that code has made. */
const FILE_CITATIONS: ReadonlySet<unknown> = new Set(['container_file_citation', 'file_path']);

/**
 * What an event tells of objects that its answer has left in an account. Only members that a provider fills itself count:
 * a model, or a tool of the caller's, could write any id into the others.
 */
export function listMade(event: GenerationEvent): readonly MadeObject[] {
  switch (event.type) {
    case 'generation-start':
    case 'generation-end':
      return event.extra ? listOfExtra(event.extra) : NOTHING;
    case 'block-start':
      return event.block.type === 'native' ? listOfNative(event.block) : NOTHING;
    case 'block-annotation':
      return listOfAnnotation(event.annotation);
    default:
      return NOTHING;
  }
}

/** Anthropic's container of an answer, and what Chat says aloud. */
function listOfExtra({ messages, chat }: Extra): MadeObject[] {
  const message = chat?.['message'];
  const audio = isJsonObject(message) ? message['audio'] : undefined;
  return [messages?.['container'], audio].flatMap(readTold);
}

/** An object with an id and the time until which it is kept: in seconds, or as text. */
function readTold(value: JsonValue | undefined): MadeObject[] {
  if (!isJsonObject(value)) return [];
  const { id, expires_at: end } = value;
  const expiresAt = typeof end === 'number' ? end * 1_000 : typeof end === 'string' ? Date.parse(end) : NaN;
  return toMade(id).map((made) => (Number.isFinite(expiresAt) ? { ...made, expiresAt } : made));
}

function listOfNative({ format, value }: Block & { type: 'native' }): readonly MadeObject[] {
  const { type } = value;
  if (typeof type !== 'string') return NOTHING;
  if (format === 'messages') {
    if (type === 'container_upload') return toMade(value['file_id']);
    return RUN_CODE.test(type) ? listOutputs(value['content']) : NOTHING;
  }
  if (format !== 'responses') return NOTHING;
  if (type === 'code_interpreter_call') return toMade(value['container_id']);
  const { environment } = value;
  return type === 'shell_call' && isJsonObject(environment) ? toMade(environment['container_id']) : NOTHING;
}

/** The files that a run of code has made. */
function listOutputs(result: JsonValue | undefined): MadeObject[] {
  const outputs = isJsonObject(result) ? result['content'] : undefined;
  if (!Array.isArray(outputs)) return [];
  return outputs.filter(isJsonObject).flatMap(({ file_id: id }) => toMade(id));
}

function listOfAnnotation({ format, value }: Annotation): MadeObject[] {
  if (format !== 'responses' || !FILE_CITATIONS.has(value['type'])) return [];
  return [...toMade(value['container_id']), ...toMade(value['file_id'])];
}

function toMade(id: JsonObject[string] | undefined): MadeObject[] {
  return typeof id === 'string' && id !== '' ? [{ id }] : [];
}
