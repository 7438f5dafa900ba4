import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '#base';
import { isJsonObject } from '#base';
import { decodeAs } from '../../../../test/support/decode-as.ts';
import { openResponses } from '../../../../test/support/responses-upstream.ts';

const CALL = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'get_time', status: 'completed' };
const about = (type: string, fields: JsonObject): JsonObject => ({ type, output_index: 0, ...fields });
const added = about('response.output_item.added', {
  item: { ...CALL, status: 'in_progress', arguments: '' },
});
const done = about('response.output_item.done', { item: { ...CALL, arguments: '' } });
const given = about('response.function_call_arguments.done', { arguments: '' });
const delta = about('response.function_call_arguments.delta', { delta: '{"zone":"CET"}' });

function end(status: string): JsonObject {
  const item = { ...CALL, status: undefined, arguments: '' };
  return { type: `response.${status}`, response: { id: 'resp_1', status, output: [item] } };
}

/** The arguments in each event that a Responses client receives. */
function relay(...events: JsonObject[]): unknown[] {
  const decoder = openResponses(decodeAs('responses')).createStreamDecoder();
  return events
    .flatMap((event) => decoder.push({ data: JSON.stringify(event) }))
    .flatMap((event) => {
      if (event.type === 'relay') return argumentsOf(event.value);
      if (event.type !== 'generation-end') return [];
      const { output } = event.extra?.responses ?? {};
      return Array.isArray(output) ? output.filter(isJsonObject).flatMap(argumentsOf) : [];
    });
}

function argumentsOf({ arguments: text, item }: JsonObject): JsonValue[] {
  const holder = isJsonObject(item) ? item['arguments'] : text;
  return holder === undefined ? [] : [holder];
}

test('[D-17] a call without arguments has {} where a Responses client parses it', () => {
  assert.deepEqual(relay(added, given, done, end('completed')), ['', '{}', '{}', '{}']);
});

test('[D-12] arguments that a Responses upstream sends only in deltas are in the complete call', () => {
  const whole = '{"zone":"CET"}';
  assert.deepEqual(relay(added, delta, given, done, end('completed')), ['', whole, whole, whole]);
});

test('[D-26] a call without arguments that was cut short stays as it is', () => {
  const cut = { ...done, item: { ...CALL, status: 'incomplete', arguments: '' } };
  assert.deepEqual(relay(added, cut, end('incomplete')), ['', '', '']);
});
