import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonValue, parseExact } from '#base';
import { isBelievable } from './believable.ts';

const ABSURD: JsonValue[] = [-1, -0.5, 0.5, 12.7, 1e308, 1e9, 2 ** 53, 'many', '12', true, Infinity, NaN];

test('a usage with a negative, fractional, absurd or non-numeric count is not believable', () => {
  for (const count of ABSURD) {
    const usages: JsonValue[] = [
      { input_tokens: count, output_tokens: 5 },
      { input_tokens: 5, output_tokens: 5, cache_creation: { ephemeral_5m_input_tokens: count } },
      { prompt_tokens: 5, completion_tokens: count },
      { prompt_tokens: 5, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: count } },
      { promptTokenCount: 5, candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: count }] },
      { inputTokens: 5, outputTokens: count },
      { input_tokens: 5, server_tool_use: { web_search_requests: count } },
      { prompt_tokens: 5, num_search_queries: count },
      { billed_units: { search_units: count } },
    ];
    for (const usage of usages) assert.equal(isBelievable(usage), false, JSON.stringify(usage));
  }
});

test('usage as providers report it is accepted, including members that are not counts', () => {
  const usages: JsonValue[] = [
    { prompt_tokens: 0, completion_tokens: 12, total_tokens: 12, cost: 0.000_012, is_byok: false },
    { prompt_tokens: 5, queue_time: 0.03, total_time: 1.2, completion_tokens_details: null },
    { input_tokens: 5, output_tokens: 5, service_tier: 'standard', inference_geo: 'us', iterations: [] },
    {
      promptTokenCount: 5,
      trafficType: 'ON_DEMAND',
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 5 }],
    },
    { inputTokens: 100_000_000, outputTokens: null },
    { type: 'duration', seconds: 3.5 },
    {},
  ];
  for (const usage of usages) assert.equal(isBelievable(usage), true, JSON.stringify(usage));
  assert.equal(isBelievable(undefined), true);
  const exact = parseExact('{"input_tokens":9007199254740993,"total_time":1}');
  assert.equal(isBelievable(exact), false);
});

test('nesting without end is not followed', () => {
  let nested: JsonValue = { input_tokens: 1 };
  for (let depth = 0; depth < 100; depth += 1) nested = { nested };
  assert.equal(isBelievable(nested), false);
});
