import type { JsonValue } from '#base';
import type { Block, Extra, FormatId, GenerationEvent } from '#canonical';
import { objectOf } from '../body/read-answer.ts';
import { isObject, itemsOf } from '../body/read-field.ts';
import type { Members, Unchecked } from '../body/unchecked.ts';

/** Members of answers, filled by the provider, that refer to objects in its account. */
interface GivenObject {
  id: string;
  /** Seconds since the Unix epoch, or text. */
  expires_at: number | string;
}
interface MessageEnd {
  container: GivenObject;
}
interface ChatEnd {
  message: { audio: GivenObject };
}
interface MessagesBlock {
  type: string;
  file_id: string;
  content: { content: { file_id: string }[] };
}
interface ResponsesItem {
  type: string;
  container_id: string;
  file_id: string;
  environment: { container_id: string };
}

/** An object that an answer created in the provider account. */
interface CreatedObject {
  id: string;
  /** Milliseconds since the Unix epoch, if the provider reports it. */
  expiresAt?: number;
}

const NOTHING: readonly CreatedObject[] = [];
const RUN_CODE = /code_execution_tool_result$/;
/** Citations of files created by code. */
const FILE_CITATIONS: ReadonlySet<unknown> = new Set(['container_file_citation', 'file_path']);

/**
 * Objects that an event reports as created in an account. Only members filled by the provider count: a model, or a
 * caller's tool, could write any id into the others.
 */
export function listCreatedObjects(event: GenerationEvent): readonly CreatedObject[] {
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
function listOfExtra({ messages, chat }: Extra): CreatedObject[] {
  const { container }: Members<MessageEnd> = messages ?? {};
  const { message }: Members<ChatEnd> = chat ?? {};
  return [container, objectOf(message).audio].flatMap(readGiven);
}

function readGiven(value: Unchecked<GivenObject> | undefined): CreatedObject[] {
  if (!isObject(value)) return [];
  const { id, expires_at: end } = value;
  const expiresAt = typeof end === 'number' ? end * 1_000 : typeof end === 'string' ? Date.parse(end) : NaN;
  return toCreated(id).map((object) => (Number.isFinite(expiresAt) ? { ...object, expiresAt } : object));
}

type NativeValue = Members<MessagesBlock & ResponsesItem>;

interface Readers {
  native(value: NativeValue): readonly CreatedObject[];
  annotation(value: NativeValue): readonly CreatedObject[];
}

const NO_READERS: Readers = { native: () => NOTHING, annotation: () => NOTHING };
const READERS: Readonly<Record<FormatId, Readers>> = {
  chat: NO_READERS,
  messages: { ...NO_READERS, native: listOfBlock },
  responses: { native: listOfItem, annotation: listOfCitation },
  gemini: NO_READERS,
  converse: NO_READERS,
};

function listOfNative({ format, value }: Block & { type: 'native' }): readonly CreatedObject[] {
  return READERS[format].native(value);
}

function listOfBlock({ type, file_id: file, content }: Members<MessagesBlock>): readonly CreatedObject[] {
  if (type === 'container_upload') return toCreated(file);
  if (typeof type !== 'string' || !RUN_CODE.test(type)) return NOTHING;
  return itemsOf(objectOf(content).content).flatMap((output) => toCreated(objectOf(output).file_id));
}

function listOfItem({
  type,
  container_id: own,
  environment,
}: Members<ResponsesItem>): readonly CreatedObject[] {
  if (type === 'code_interpreter_call') return toCreated(own);
  return type === 'shell_call' ? toCreated(objectOf(environment).container_id) : NOTHING;
}

function listOfCitation({ type, container_id: container, file_id: file }: Members<ResponsesItem>) {
  return FILE_CITATIONS.has(type) ? [...toCreated(container), ...toCreated(file)] : NOTHING;
}

function toCreated(id: JsonValue | undefined): CreatedObject[] {
  return typeof id === 'string' && id !== '' ? [{ id }] : [];
}
