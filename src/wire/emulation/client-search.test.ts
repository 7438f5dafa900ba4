import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, SseMessage } from '#base';
import { FORMATS, type FormatId } from '#canonical';
import { getInboundFormat, getOutboundFormat, isFailure } from '#wire';
import { createTarget, decodeStream } from '../../../test/support/exchanges.ts';
import {
  createResponsesContext,
  decodeResponses,
  encodeFrames,
  readFrames,
} from '../../../test/support/responses-exchange.ts';
import { listSentToolNames } from '../../../test/support/sent-tool-names.ts';

const OTHERS = FORMATS.filter((format) => format !== 'responses');
const SAID = { type: 'message', role: 'user', content: 'Go on.' };

const openAt = (format: FormatId, fields: JsonObject) =>
  getOutboundFormat(format).openExchange(decodeResponses(fields), createTarget(format));
const bodyAt = (format: FormatId, fields: JsonObject): JsonObject => openAt(format, fields).body;
const namesAt = (format: FormatId, fields: JsonObject) => listSentToolNames(format, bodyAt(format, fields));

const plain = (name: string, more: JsonObject = {}): JsonObject => ({
  type: 'function',
  name,
  description: 'A tool.',
  strict: false,
  parameters: { type: 'object', properties: {} },
  ...more,
});
const space = (name: string, ...tools: JsonObject[]): JsonObject => ({ type: 'namespace', name, tools });
const chatChunk = (delta: JsonObject, finish: string | null): SseMessage => ({
  data: JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: finish }] }),
});

const FOUND = {
  type: 'tool_search_output',
  call_id: 's1',
  execution: 'client',
  status: 'completed',
  tools: [space('mcp', plain('f', { defer_loading: true }))],
};
const SEARCHED = {
  type: 'tool_search_call',
  call_id: 's1',
  execution: 'client',
  status: 'completed',
  arguments: { query: 'x' },
};

test('tools that a search has found are offered beside the others, and at once', () => {
  const tools = [plain('g'), { type: 'tool_search', execution: 'server' }];
  for (const format of OTHERS) {
    const body = bodyAt(format, { tools, input: [SAID, SEARCHED, FOUND] });
    assert.deepEqual(listSentToolNames(format, body), ['g', 'mcp__f']);
    assert.ok(!JSON.stringify(body).includes('defer_loading'));
    assert.deepEqual(namesAt(format, { tools, input: [SAID, SEARCHED, { ...FOUND, tools: null }] }), ['g']);
  }
});

const SEARCH = {
  type: 'tool_search',
  execution: 'client',
  description: 'Searches tools.',
  parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
};

test('a search that the client runs is a function, and its uses are calls with the names that it found', () => {
  const input = [SAID, SEARCHED, FOUND];
  for (const format of OTHERS) {
    const body = bodyAt(format, { tools: [SEARCH, plain('g')], input });
    assert.deepEqual(listSentToolNames(format, body), ['g', 'mcp__f', 'tool_search']);
    const text = JSON.stringify(body);
    assert.ok(text.includes('Searches tools.') && text.includes('query'));
    assert.match(text.replaceAll('\\', ''), /"found":\["mcp__f"\]/);
  }
  assert.deepEqual(namesAt('chat', { tools: [SEARCH, plain('tool_search')], input: [SAID] }), [
    'tool_search',
    'tool_search_',
  ]);
});

test('its calls return as searches, whole and streamed', () => {
  const fields = { tools: [SEARCH, plain('g')], input: [SAID] };
  const called = { name: 'tool_search', arguments: '{"query":"x"}' };
  const calls = [
    { index: 0, id: 's1', type: 'function', function: called },
    { index: 1, id: 'c1', type: 'function', function: { name: 'g', arguments: '{}' } },
  ];
  const shown = (output: unknown) =>
    (output as JsonObject[]).map(({ id, ...item }) => {
      assert.equal(typeof id, 'string');
      return item;
    });
  const call = { type: 'function_call', call_id: 'c1', name: 'g', arguments: '{}', status: 'completed' };
  const choices = [
    { index: 0, message: { role: 'assistant', tool_calls: calls }, finish_reason: 'tool_calls' },
  ];
  const result = openAt('chat', fields).decodeResult({ id: 'x', choices });
  assert.ok(!isFailure(result));
  const context = createResponsesContext(fields);
  const whole = getInboundFormat('responses').encodeResult(result, context);
  assert.deepEqual(shown(whole['output']), [SEARCHED, call]);
  const parts = called.arguments
    .split('')
    .map((text) => chatChunk({ tool_calls: [{ index: 0, function: { arguments: text } }] }, null));
  const opening = { ...calls[0], function: { name: 'tool_search', arguments: '' } };
  const stream = [
    chatChunk({ role: 'assistant', tool_calls: [opening] }, null),
    ...parts,
    chatChunk({ tool_calls: [calls[1] ?? {}] }, null),
    chatChunk({}, 'tool_calls'),
    { data: '[DONE]' },
  ];
  const frames = readFrames(encodeFrames(decodeStream(openAt('chat', fields), stream), context));
  assert.deepEqual(shown((frames.at(-1)?.['response'] as JsonObject)['output']), [SEARCHED, call]);
  const added = frames.find(({ type }) => type === 'response.output_item.added');
  assert.deepEqual(shown([added?.['item']]), [SEARCHED]);
});
