import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { Block, Extra, FormatId, GenerationEvent } from '#canonical';

/** An object that an answer created in the provider account. */
interface MadeObject {
  id: string;
  /** Milliseconds since the Unix epoch, if the provider reports it. */
  expiresAt?: number;
}

const NOTHING: readonly MadeObject[] = [];
const RUN_CODE = /code_execution_tool_result$/;
/** Citations of files created by code. */
const FILE_CITATIONS: ReadonlySet<unknown> = new Set(['container_file_citation', 'file_path']);

/**
 * Objects that an event reports as created in an account. Only members filled by the provider count: a model, or a
 * caller's tool, could write any id into the others.
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

/** The container of an Anthropic answer, and the audio of a Chat answer. */
function listOfExtra({ messages, chat }: Extra): MadeObject[] {
  const message = chat?.['message'];
  const audio = isJsonObject(message) ? message['audio'] : undefined;
  return [messages?.['container'], audio].flatMap(readGiven);
}

/** An object with an id and its expiry, in seconds or as text. */
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

/** Files created by a code run. */
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
