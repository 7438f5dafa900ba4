import type { JsonValue, SseMessage } from '#base';
import type { Relay } from '#canonical';
import { isObject, itemsOf } from '../../body/read-field.ts';
import type { ReadAnswer, ReadEvent } from './answer-schema.ts';
import type { EventWriter } from './event-writer.ts';
import type { OutputList, PlacedItem } from './output-list.ts';

/** Relays items of a Responses upstream with their index and id in this answer. */
export class RelayedItems {
  readonly #output: OutputList;
  readonly #writer: EventWriter;
  /** By the upstream's own index. */
  readonly #items = new Map<JsonValue, PlacedItem>();

  constructor(output: OutputList, writer: EventWriter) {
    this.#output = output;
    this.#writer = writer;
  }

  /** Takes the items of the final response, which may be more complete than their own last events. */
  finish(output: ReadAnswer['output']): void {
    itemsOf(output).forEach((item, at) => {
      const placed = this.#items.get(at);
      if (placed && isObject(item) && item.type === placed.item.type) this.#output.replace(placed, item);
    });
  }

  write({ value, data }: Relay): SseMessage[] {
    const { type: given, item, item_id: upstreamId, output_index: upstreamIndex }: ReadEvent = value;
    const type = typeof given === 'string' ? given : '';
    if (upstreamIndex === undefined && !isObject(item)) return [this.#writer.relay(type, value, data)];
    const key = upstreamIndex ?? '';
    if (type === 'response.output_item.added' && isObject(item)) this.#items.set(key, this.#output.add(item));
    const placed = this.#items.get(key);
    if (!placed) return [];
    const { index } = placed;
    if (isObject(item)) {
      if (type === 'response.output_item.done') this.#output.replace(placed, item);
      return [this.#writer.relay(type, { ...value, item: placed.item, output_index: index })];
    }
    const id = placed.item.id;
    const isSame = index === upstreamIndex && (upstreamId === id || upstreamId === undefined);
    if (isSame) return [this.#writer.relay(type, value, data)];
    const itemId = upstreamId === undefined ? {} : { item_id: id };
    return [this.#writer.relay(type, { ...value, ...itemId, output_index: index })];
  }
}
