import { type JsonValue, type SseMessage, isJsonObject } from '#base';
import type { Relay } from '#canonical';
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
  finish(output: JsonValue | undefined): void {
    if (!Array.isArray(output)) return;
    output.forEach((item, at) => {
      const placed = this.#items.get(at);
      if (placed && isJsonObject(item) && item['type'] === placed.item['type'])
        this.#output.replace(placed, item);
    });
  }

  write({ value, data }: Relay): SseMessage[] {
    const { type: given, item, output_index: upstreamIndex } = value;
    const type = typeof given === 'string' ? given : '';
    if (upstreamIndex === undefined && !isJsonObject(item)) return [this.#writer.relay(type, value, data)];
    const key = upstreamIndex ?? '';
    if (type === 'response.output_item.added' && isJsonObject(item))
      this.#items.set(key, this.#output.add(item));
    const placed = this.#items.get(key);
    if (!placed) return [];
    const { index } = placed;
    if (isJsonObject(item)) {
      if (type === 'response.output_item.done') this.#output.replace(placed, item);
      return [this.#writer.relay(type, { ...value, item: placed.item, output_index: index })];
    }
    const id = placed.item['id'];
    const isSame = index === upstreamIndex && (value['item_id'] === id || value['item_id'] === undefined);
    if (isSame) return [this.#writer.relay(type, value, data)];
    const itemId = value['item_id'] === undefined ? {} : { item_id: id };
    return [this.#writer.relay(type, { ...value, ...itemId, output_index: index })];
  }
}
