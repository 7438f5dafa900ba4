import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { Block, Extra, FormatId, GenerationEvent } from '#canonical';

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
      return READERS[event.annotation.format].annotation(event.annotation.value);
    default:
      return NOTHING;
  }
}

/** Anthropic's container of an answer, and what Chat says aloud. */
function listOfExtra({ messages, chat }: Extra): MadeObject[] {
  const message = chat?.['message'];
  const audio = isJsonObject(message) ? message['audio'] : undefined;
  return [messages?.['container'], audio].flatMap(readGiven);
}

/** An object with an id and the time until which it is kept: in seconds, or as text. */
function readGiven(value: JsonValue | undefined): MadeObject[] {
  if (!isJsonObject(value)) return [];
  const { id, expires_at: end } = value;
  const expiresAt = typeof end === 'number' ? end * 1_000 : typeof end === 'string' ? Date.parse(end) : NaN;
  return toMade(id).map((made) => (Number.isFinite(expiresAt) ? { ...made, expiresAt } : made));
}

interface Readers {
  native(value: JsonObject, type: string): readonly MadeObject[];
  annotation(value: JsonObject): readonly MadeObject[];
}

const NO_READERS: Readers = { native: () => NOTHING, annotation: () => NOTHING };
const READERS: Readonly<Record<FormatId, Readers>> = {
  chat: NO_READERS,
  messages: { ...NO_READERS, native: listOfBlock },
  responses: { native: listOfItem, annotation: listOfCitation },
  gemini: NO_READERS,
  converse: NO_READERS,
};

function listOfNative({ format, value }: Block & { type: 'native' }): readonly MadeObject[] {
  const { type } = value;
  return typeof type === 'string' ? READERS[format].native(value, type) : NOTHING;
}

function listOfBlock(value: JsonObject, type: string): readonly MadeObject[] {
  if (type === 'container_upload') return toMade(value['file_id']);
  return RUN_CODE.test(type) ? listOutputs(value['content']) : NOTHING;
}

function listOfItem(value: JsonObject, type: string): readonly MadeObject[] {
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

function listOfCitation(value: JsonObject): readonly MadeObject[] {
  if (!FILE_CITATIONS.has(value['type'])) return NOTHING;
  return [...toMade(value['container_id']), ...toMade(value['file_id'])];
}

function toMade(id: JsonObject[string] | undefined): MadeObject[] {
  return typeof id === 'string' && id !== '' ? [{ id }] : [];
}
