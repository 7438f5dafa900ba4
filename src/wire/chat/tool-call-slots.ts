import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { GenerationEvent } from '#canonical';
import type { BlockLanes, CallLane } from './block-lanes.ts';

/** One entry of `tool_calls` in a chunk, whatever its upstream left out. */
interface CallFragment {
  index: number | undefined;
  id: string;
  name: string;
  text: string;
  isCustom: boolean;
  extraContent: JsonObject | undefined;
}

/**
 * Tells which call a fragment belongs to: by `index`, else by id, else by position.
 * Upstreams number from 1, skip numbers, repeat one number for every call, or send none; an index is only ever a key.
 */
export class ToolCallSlots {
  readonly #lanes: BlockLanes;
  readonly #byIndex = new Map<number, CallLane>();
  readonly #byId = new Map<string, CallLane>();
  readonly #inOrder: CallLane[] = [];

  constructor(lanes: BlockLanes) {
    this.#lanes = lanes;
  }

  /** Takes the entries of one chunk. */
  read(entries: JsonValue[], events: GenerationEvent[]): void {
    entries.forEach((entry, position) => {
      if (isJsonObject(entry)) this.#add(readFragment(entry), { position, of: entries.length }, events);
    });
  }

  /** The deprecated `function_call`: one call without id. */
  readLegacy(call: JsonObject, events: GenerationEvent[]): void {
    this.#add(readFragment({ index: 0, function: call }), { position: 0, of: 1 }, events);
  }

  #add(fragment: CallFragment, place: { position: number; of: number }, events: GenerationEvent[]): void {
    const lane = this.#find(fragment, place) ?? this.#create(fragment);
    if (lane.id === '' && fragment.id !== '') {
      lane.id = fragment.id;
      this.#byId.set(fragment.id, lane);
    }
    if (lane.name === '') lane.name = fragment.name;
    if (fragment.extraContent) lane.extraContent = fragment.extraContent;
    this.#lanes.addArguments(lane, fragment.text, events);
  }

  #find(fragment: CallFragment, place: { position: number; of: number }): CallLane | undefined {
    const { index, id, name } = fragment;
    if (index !== undefined) {
      const lane = this.#byIndex.get(index);
      return lane && isAnotherCall(lane, fragment) ? this.#byId.get(id) : lane;
    }
    if (id !== '') {
      const known = this.#byId.get(id);
      if (!known) return this.#findNameless(fragment);
      return isWholeAgain(known, fragment) ? undefined : known;
    }
    const lane = place.of === 1 ? this.#inOrder.at(-1) : this.#inOrder[place.position];
    const isNext =
      lane && name !== '' && lane.name !== '' && (lane.name !== name || lane.progress.isComplete);
    return isNext ? undefined : lane;
  }

  /** A call whose id comes after its first fragment. */
  #findNameless(fragment: CallFragment): CallLane | undefined {
    const last = this.#inOrder.at(-1);
    return last?.id === '' && (fragment.name === '' || last.name === '') ? last : undefined;
  }

  #create(fragment: CallFragment): CallLane {
    const lane = this.#lanes.addCall(fragment.isCustom);
    this.#inOrder.push(lane);
    if (fragment.index !== undefined) this.#byIndex.set(fragment.index, lane);
    return lane;
  }
}

/** Whether an id is used for a second whole call. */
function isWholeAgain(lane: CallLane, { name, text }: CallFragment): boolean {
  return lane.progress.isComplete && name !== '' && text !== '';
}

/** Whether an index is used for a second call: another id, or another whole call without ids. */
function isAnotherCall(lane: CallLane, fragment: CallFragment): boolean {
  if (fragment.name === '' || lane.name === '') return false;
  if (fragment.id !== '') return lane.id !== '' && lane.id !== fragment.id;
  return lane.progress.isComplete && fragment.text !== '';
}

function readFragment(entry: JsonObject): CallFragment {
  const { index, id } = entry;
  const custom = isJsonObject(entry['custom']) ? entry['custom'] : undefined;
  const called = isJsonObject(entry['function']) ? entry['function'] : {};
  const name = custom ? custom['name'] : called['name'];
  return {
    index: typeof index === 'number' ? index : undefined,
    id: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name : '',
    text: custom ? textOf(custom['input']) : argumentsOf(called['arguments']),
    isCustom: custom !== undefined || entry['type'] === 'custom',
    extraContent: isJsonObject(entry['extra_content']) ? entry['extra_content'] : undefined,
  };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Arguments may come as text, as the object itself, or as null. */
function argumentsOf(value: JsonValue | undefined): string {
  return isJsonObject(value) ? JSON.stringify(value) : textOf(value);
}
