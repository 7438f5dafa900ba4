import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { type CanonicalRequest, type GenerationResult, collect } from '#canonical';
import { decodeAs } from '../../../../test/support/decode-as.ts';
import { createResponsesTarget, openResponses } from '../../../../test/support/responses-upstream.ts';

const LOWERED = createResponsesTarget({ customTools: false });

function decode(request: CanonicalRequest, ...events: JsonObject[]): GenerationResult {
  const decoder = openResponses(request, LOWERED).createStreamDecoder();
  return collect(events.flatMap((event) => decoder.push({ data: JSON.stringify(event) })));
}

const end = (fields: JsonObject = {}): JsonObject => ({
  type: 'response.completed',
  response: { id: 'resp_1', model: 'upstream', status: 'completed', output: [], ...fields },
});

test('a summary that is only sent when it is complete', () => {
  const item = { type: 'reasoning', id: 'rs_1', summary: [] };
  const place = (type: string): JsonObject => ({
    type: `response.output_item.${type}`,
    output_index: 0,
    item,
  });
  const whole = (index: number, text: string): JsonObject => ({
    type: 'response.reasoning_summary_text.done',
    output_index: 0,
    summary_index: index,
    text,
  });
  const events = [place('added'), whole(0, 'Hm.'), whole(1, 'So.'), place('done'), end()];
  const { blocks } = decode(decodeAs('messages'), ...events);
  assert.deepEqual(
    blocks.map((block) => block.type === 'reasoning' && block.text),
    ['Hm.\n\nSo.'],
  );
});

test('the tier that answered reaches a caller whose custom tools are sent as functions', () => {
  const request = decodeAs('responses', { tools: [{ type: 'custom', name: 'patch' }], service_tier: 'auto' });
  const { extra } = decode(request, end({ service_tier: 'priority' }));
  assert.deepEqual(extra, { responses: { service_tier: 'priority' } });
  assert.equal(decode(request, end({ service_tier: null })).extra, undefined);
});

test('an answer is cut if its status or its details say so', () => {
  const finishOf = (fields: JsonObject): unknown => decode(decodeAs('chat'), end(fields)).finish;
  const details = { reason: 'max_output_tokens' };
  assert.deepEqual(finishOf({ incomplete_details: details }), { reason: 'length', raw: 'max_output_tokens' });
  const cut = { type: 'response.incomplete', response: { id: 'resp_1', status: 'incomplete', output: [] } };
  assert.deepEqual(decode(decodeAs('chat'), cut).finish, { reason: 'unknown', raw: 'incomplete' });
  assert.deepEqual(finishOf({ incomplete_details: null }), { reason: 'stop', raw: 'completed' });
});

test('items that an upstream gives one index are distinct, also if the first is never ended', () => {
  const add = (id: string): JsonObject => ({
    type: 'response.output_item.added',
    output_index: 0,
    item: { type: 'function_call', id: `fc_${id}`, call_id: id, name: id, arguments: '' },
  });
  const grow = (delta: string): JsonObject => ({
    type: 'response.function_call_arguments.delta',
    output_index: 0,
    delta,
  });
  const { blocks } = decode(decodeAs('chat'), add('f'), grow('{"a":1}'), add('g'), grow('{"b":2}'), end());
  assert.deepEqual(
    blocks.map((block) => block.type === 'tool-call' && [block.name, block.input]),
    [
      ['f', { json: '{"a":1}' }],
      ['g', { json: '{"b":2}' }],
    ],
  );
});
