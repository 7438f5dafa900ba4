import type { JsonObject, JsonValue } from '#base';
import { objectOf, textOf } from '../../body/read-answer.ts';
import { isObject } from '../../body/read-field.ts';
import type { ItemOf, ObjectOf } from '../../body/unchecked.ts';
import type { ReadCall, ReadMessage } from './answer-schema.ts';
import { ChatCallReader } from './call-reader.ts';
import type { ContentReader } from './content-reader.ts';
import type { AnswerNames } from '../../tools/tool-names.ts';

/** One entry of `tool_calls` in a chunk; upstreams omit some members. */
interface CallFragment {
  index: number | undefined;
  id: string;
  name: string;
  text: string;
  isCustom: boolean;
  extraContent: JsonObject | undefined;
}

/**
 * Finds the call of a fragment by `index`, else by id, else by position. Upstreams number from 1, skip numbers, repeat
 * one number for every call, or send none, so an index is only a key.
 */
export class ToolCallSlots {
  readonly #content: ContentReader;
  readonly #names: AnswerNames;
  readonly #byIndex = new Map<number, ChatCallReader>();
  readonly #byId = new Map<string, ChatCallReader>();
  readonly #inOrder: ChatCallReader[] = [];
  #finished = 0;

  constructor(content: ContentReader, names: AnswerNames) {
    this.#content = content;
    this.#names = names;
  }

  /** Takes the entries of one chunk. */
  read(entries: readonly ItemOf<ReadMessage['tool_calls']>[]): void {
    entries.forEach((entry, position) => {
      if (isObject(entry)) this.#add(readFragment(entry), { position, of: entries.length });
    });
  }

  /** The deprecated `function_call`: one call without id. */
  readLegacy(call: ObjectOf<ReadCall['function']>): void {
    this.#add(readFragment({ index: 0, function: call }), { position: 0, of: 1 });
  }

  /** Writes the calls as far as possible; at the end of the answer, all of them. */
  advance(isFinal: boolean): void {
    while (this.#inOrder[this.#finished]?.advance(isFinal)) this.#finished += 1;
  }

  #add(fragment: CallFragment, place: { position: number; of: number }): void {
    const call = this.#find(fragment, place) ?? this.#create(fragment);
    if (call.id === '' && fragment.id !== '') {
      call.id = fragment.id;
      this.#byId.set(fragment.id, call);
    }
    if (call.name === '') call.name = fragment.name;
    if (fragment.extraContent) call.extraContent = fragment.extraContent;
    call.addArguments(fragment.text);
  }

  #find(fragment: CallFragment, place: { position: number; of: number }): ChatCallReader | undefined {
    const { index, id, name } = fragment;
    if (index !== undefined) {
      const call = this.#byIndex.get(index);
      return call && isAnotherCall(call, fragment) ? this.#byId.get(id) : call;
    }
    if (id !== '') {
      const known = this.#byId.get(id);
      if (!known) return this.#findNameless(fragment);
      return isWholeAgain(known, fragment) ? undefined : known;
    }
    const call = place.of === 1 ? this.#inOrder.at(-1) : this.#inOrder[place.position];
    const isNext = call && name !== '' && call.name !== '' && (call.name !== name || call.isComplete);
    return isNext ? undefined : call;
  }

  /** Finds a call whose id arrives after its first fragment. */
  #findNameless(fragment: CallFragment): ChatCallReader | undefined {
    const last = this.#inOrder.at(-1);
    return last?.id === '' && (fragment.name === '' || last.name === '') ? last : undefined;
  }

  #create(fragment: CallFragment): ChatCallReader {
    const call = new ChatCallReader(this.#content.addLane(), fragment.isCustom, this.#names);
    this.#inOrder.push(call);
    if (fragment.index !== undefined) this.#byIndex.set(fragment.index, call);
    return call;
  }
}

/** Whether an id is reused for a second complete call. */
function isWholeAgain(call: ChatCallReader, { name, text }: CallFragment): boolean {
  return call.isComplete && name !== '' && text !== '';
}

/** Whether an index is reused for a second call: another id, or another complete call without ids. */
function isAnotherCall(call: ChatCallReader, fragment: CallFragment): boolean {
  if (fragment.name === '' || call.name === '') return false;
  if (fragment.id !== '') return call.id !== '' && call.id !== fragment.id;
  return call.isComplete && fragment.text !== '';
}

function readFragment(entry: ReadCall): CallFragment {
  const { index, id, custom, extra_content: extra } = entry;
  const called = objectOf(entry.function);
  const isCustom = isObject(custom);
  return {
    index: typeof index === 'number' ? index : undefined,
    id: textOf(id),
    name: textOf(isCustom ? custom.name : called.name),
    text: isCustom ? textOf(custom.input) : argumentsOf(called.arguments),
    isCustom: isCustom || entry.type === 'custom',
    extraContent: isObject(extra) ? extra : undefined,
  };
}

/** Arguments may be text, the object itself, or null. */
function argumentsOf(value: JsonValue | undefined): string {
  return isObject(value) ? JSON.stringify(value) : textOf(value);
}
