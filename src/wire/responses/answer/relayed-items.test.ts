import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJsonObject } from '#base';
import type { JsonObject } from '#base';
import { EventWriter } from './event-writer.ts';
import { OutputList } from './output-list.ts';
import { RelayedItems } from './relayed-items.ts';

test('events about a relayed item have its index and id in this answer, and no id where they had none', () => {
  const output = new OutputList('resp_answer', new Map());
  const relayed = new RelayedItems(output, new EventWriter());
  const write = (value: JsonObject): JsonObject => {
    const [message] = relayed.write({ type: 'relay', format: 'responses', value });
    const { sequence_number: _, ...members } = parseJsonObject(message?.data ?? '') ?? {};
    return members;
  };
  const item = { type: 'web_search_call', id: 'ws_1', status: 'in_progress' };
  write({ type: 'response.output_item.added', output_index: 5, item });
  const { id } = output.items[0] ?? {};
  const about = { type: 'response.web_search_call.searching' };
  assert.deepEqual(write({ ...about, output_index: 5, item_id: 'ws_1' }), {
    ...about,
    output_index: 0,
    item_id: id,
  });
  assert.deepEqual(write({ ...about, output_index: 5 }), { ...about, output_index: 0 });
});
