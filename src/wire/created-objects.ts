import type { Extra, GenerationEvent } from '#canonical';
import { objectOf } from './body/read-answer.ts';
import { isObject } from './body/read-field.ts';
import type { Members, Unchecked } from './body/unchecked.ts';
import { FORMAT_FACTS } from './facts.ts';
import { type CreatedObject, NO_OBJECTS } from './format-facts.ts';
import { toCreated } from './objects/to-created.ts';

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

/**
 * Objects that an event reports as created in an account. Only members filled by the provider count: a model, or a
 * caller's tool, could write any id into the others.
 */
export function listCreatedObjects(event: GenerationEvent): readonly CreatedObject[] {
  switch (event.type) {
    case 'generation-start':
    case 'generation-end':
      return event.extra ? listOfExtra(event.extra) : NO_OBJECTS;
    case 'block-start':
      return event.block.type === 'native'
        ? FORMAT_FACTS[event.block.format].listCreatedByBlock(event.block.value)
        : NO_OBJECTS;
    case 'block-annotation':
      return FORMAT_FACTS[event.annotation.format].listCreatedByCitation(event.annotation.value);
    default:
      return NO_OBJECTS;
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
