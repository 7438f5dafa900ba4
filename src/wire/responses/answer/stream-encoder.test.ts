import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { type Block, type GenerationEvent, type GenerationResult, createUsage, toEvents } from '#canonical';
import {
  createResponsesContext,
  encodeFrames,
  readFrames,
} from '../../../../test/support/responses-exchange.ts';
import { responsesInbound } from '../inbound.ts';

const USAGE = createUsage({
  inputUncached: 5,
  inputCacheRead: 3,
  inputCacheWrite5m: 2,
  outputText: 4,
  outputReasoning: 6,
});

function resultOf(...blocks: Block[]): GenerationResult {
  return { id: 'upstream-1', model: 'upstream-model', blocks, finish: { reason: 'stop' }, usage: USAGE };
}

const framesOf = (result: GenerationResult, fields: JsonObject = {}) =>
  readFrames(encodeFrames(toEvents(result), createResponsesContext(fields)));
const typesOf = (frames: JsonObject[]) =>
  frames.map(({ type }) => (type as string).replace(/^response\./, ''));
const lastOf = (frames: JsonObject[]) => frames.at(-1)?.['response'] as JsonObject;
const find = (frames: JsonObject[], type: string) =>
  frames.filter((frame) => frame['type'] === `response.${type}`);

test('text is a message with one part, with events in the order of the API', () => {
  const frames = framesOf(resultOf({ type: 'text', text: 'Hi "you"\n' }));
  assert.deepEqual(typesOf(frames), [
    'created',
    'in_progress',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'completed',
  ]);
  assert.deepEqual(frames[4], {
    type: 'response.output_text.delta',
    item_id: 'msg_answer0',
    output_index: 0,
    content_index: 0,
    delta: 'Hi "you"\n',
    logprobs: [],
    sequence_number: 4,
  });
  const message = {
    id: 'msg_answer0',
    type: 'message',
    status: 'completed',
    content: [{ type: 'output_text', annotations: [], logprobs: [], text: 'Hi "you"\n' }],
    role: 'assistant',
  };
  assert.deepEqual(frames[7]?.['item'], message);
  assert.deepEqual(lastOf(frames)['output'], [message]);
  assert.deepEqual(lastOf(frames)['usage'], {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 6 },
    total_tokens: 20,
  });
});

test('reasoning is a summary; its encrypted content is sent only when the item is done', () => {
  const frames = framesOf(
    resultOf(
      { type: 'reasoning', text: 'think', signature: 'sig', issuer: 'anthropic' },
      { type: 'text', text: 'Four.' },
    ),
  );
  assert.deepEqual(typesOf(frames).slice(2, 8), [
    'output_item.added',
    'reasoning_summary_part.added',
    'reasoning_summary_text.delta',
    'reasoning_summary_text.done',
    'reasoning_summary_part.done',
    'output_item.done',
  ]);
  assert.deepEqual(frames[2]?.['item'], { id: 'rs_answer0', type: 'reasoning', summary: [] });
  assert.deepEqual(frames[7]?.['item'], {
    id: 'rs_answer0',
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'think' }],
    encrypted_content: 'sluice.anthropic.signed:sig',
  });
});

test('[D-42] a signature without text is a reasoning item without a summary', () => {
  const frames = framesOf(
    resultOf(
      { type: 'reasoning', text: '', signature: 'sig', issuer: 'google' },
      { type: 'tool-call', id: 'call_1', name: 'f', input: { json: '{}' } },
    ),
  );
  const [reasoning, call] = lastOf(frames)['output'] as JsonObject[];
  assert.deepEqual(reasoning, {
    id: 'rs_answer0',
    type: 'reasoning',
    summary: [],
    encrypted_content: 'sluice.google.signed:sig',
  });
  assert.equal(call?.['type'], 'function_call');
});

test('[D-45] what OpenAI encrypted stays byte for byte, under its own id', () => {
  const block: Block = {
    type: 'reasoning',
    text: 'sum',
    signature: 'gAAAA==',
    issuer: 'openai',
    extra: { responses: { id: 'rs_own' } },
  };
  const [item] = lastOf(framesOf(resultOf(block)))['output'] as JsonObject[];
  assert.equal(item?.['id'], 'rs_own');
  assert.equal(item['encrypted_content'], 'gAAAA==');
});

test('calls: arguments and free text, each with its own events', () => {
  const frames = framesOf(
    resultOf(
      { type: 'tool-call', id: 'call_1', name: 'f', input: { json: '{"x":1}' } },
      { type: 'tool-call', id: 'call_2', name: 'apply_patch', input: { json: '*** Begin' }, custom: true },
    ),
  );
  assert.deepEqual(typesOf(frames).slice(2, -1), [
    'output_item.added',
    'function_call_arguments.delta',
    'function_call_arguments.done',
    'output_item.done',
    'output_item.added',
    'custom_tool_call_input.delta',
    'custom_tool_call_input.done',
    'output_item.done',
  ]);
  assert.deepEqual(lastOf(frames)['output'], [
    {
      id: 'fc_answer0',
      type: 'function_call',
      arguments: '{"x":1}',
      status: 'completed',
      call_id: 'call_1',
      name: 'f',
    },
    {
      id: 'ctc_answer1',
      type: 'custom_tool_call',
      input: '*** Begin',
      status: 'completed',
      call_id: 'call_2',
      name: 'apply_patch',
    },
  ]);
});

test('[D-17] a call that streams no arguments has {}', () => {
  const frames = readFrames(
    encodeFrames([
      { type: 'generation-start', id: 'x', model: 'm' },
      {
        type: 'block-start',
        index: 0,
        block: { type: 'tool-call', id: 'a', name: 'f', input: { json: '' } },
      },
      { type: 'block-end', index: 0 },
      { type: 'generation-end', finish: { reason: 'tool-calls' } },
    ]),
  );
  assert.equal(find(frames, 'function_call_arguments.delta')[0]?.['delta'], '{}');
  assert.equal(find(frames, 'function_call_arguments.done')[0]?.['arguments'], '{}');
});

test('[D-26] a call cut at the limit is marked incomplete, with what arrived', () => {
  const cut = resultOf({ type: 'tool-call', id: 'a', name: 'f', input: { json: '{"x":' } });
  const frames = framesOf({ ...cut, finish: { reason: 'length' } });
  assert.equal(frames.at(-1)?.['type'], 'response.incomplete');
  assert.deepEqual(lastOf(frames)['incomplete_details'], { reason: 'max_output_tokens' });
  const [item] = lastOf(frames)['output'] as JsonObject[];
  assert.equal(item?.['status'], 'incomplete');
  assert.equal(item['arguments'], '{"x":');
  assert.deepEqual(find(frames, 'output_item.done')[0]?.['item'], item);
});

test('a refusal is a separate part; a filtered answer without one is incomplete', () => {
  const refused = framesOf({
    ...resultOf({ type: 'text', text: 'No.', refusal: true }),
    finish: { reason: 'content-filter' },
  });
  assert.ok(typesOf(refused).includes('refusal.delta') && typesOf(refused).includes('refusal.done'));
  assert.equal(refused.at(-1)?.['type'], 'response.completed');
  const filtered = framesOf({ ...resultOf(), finish: { reason: 'content-filter' } });
  assert.deepEqual(lastOf(filtered)['incomplete_details'], { reason: 'content_filter' });
  const call: Block = { type: 'tool-call', id: 'call_1', name: 'f', input: { json: '{' } };
  const cut = framesOf({ ...resultOf(call), finish: { reason: 'content-filter' } });
  assert.deepEqual(lastOf(cut)['incomplete_details'], { reason: 'content_filter' });
});

test('text in a row is one message; text of another item of the upstream is another', () => {
  const text = (value: string, id?: string): Block => ({
    type: 'text',
    text: value,
    ...(id !== undefined && { extra: { responses: { id, phase: 'commentary' } } }),
  });
  const [joined] = lastOf(framesOf(resultOf(text('a'), text('b'))))['output'] as JsonObject[];
  assert.equal((joined?.['content'] as JsonObject[]).length, 2);
  const output = lastOf(framesOf(resultOf(text('a', 'msg_x'), text('b', 'msg_y'))))['output'] as JsonObject[];
  assert.deepEqual(
    output.map(({ id, phase }) => [id, phase]),
    [
      ['msg_x', 'commentary'],
      ['msg_y', 'commentary'],
    ],
  );
});

test('the namespace of a tool call is restored', () => {
  const tools = [{ type: 'namespace', name: 'mcp__fs__', tools: [{ type: 'function', name: 'read' }] }];
  const called = resultOf({ type: 'tool-call', id: 'a', name: 'mcp__fs__read', input: { json: '{}' } });
  const [item] = lastOf(framesOf(called, { tools }))['output'] as JsonObject[];
  assert.deepEqual([item?.['namespace'], item?.['name']], ['mcp__fs__', 'read']);
});

test('two calls with the same id, or none, are made distinct', () => {
  const call = (id: string): Block => ({ type: 'tool-call', id, name: 'f', input: { json: '{}' } });
  const output = lastOf(framesOf(resultOf(call('a'), call('a'), call(''))))['output'] as JsonObject[];
  assert.equal(new Set(output.map((item) => item['call_id'])).size, 3);
});

test('the response repeats the request’s options and metadata', () => {
  const asked = {
    instructions: 'Be kind.',
    temperature: 0.5,
    metadata: { mine: 'yes' },
    tools: [{ type: 'function', name: 'f', parameters: {} }],
    text: { verbosity: 'low' },
    store: false,
  };
  const context = {
    ...createResponsesContext(asked),
    describe: () => ({ costUsd: 0.25, metadata: { request_id: 'req_1' } }),
  };
  const response = responsesInbound.encodeResult(resultOf({ type: 'text', text: 'x' }), context);
  for (const [name, value] of Object.entries(asked)) assert.deepEqual(response[name], value);
  assert.equal((response['usage'] as JsonObject)['cost'], 0.25);
  assert.deepEqual(
    [response['id'], response['object'], response['model'], response['created_at'], response['top_p']],
    ['resp_answer', 'response', 'client-model', 1_700_000_000, 1],
  );
});

test('[D-58] a stream that fails before its start still reports why', () => {
  const failure = { kind: 'rate-limited', message: 'slow down' } as const;
  const frames = readFrames(encodeFrames([{ type: 'generation-error', failure }]));
  assert.deepEqual(frames[0], {
    type: 'error',
    message: 'slow down',
    param: '',
    code: 'upstream_rate_limited',
    error: { message: 'slow down', type: 'rate_limit_error', param: '', code: 'upstream_rate_limited' },
    sequence_number: 0,
  });
  assert.deepEqual(lastOf(frames)['error'], { code: 'rate_limit_exceeded', message: 'slow down' });
});

test('[D-66] a keep-alive is a comment', () => {
  assert.equal(responsesInbound.createStreamEncoder(createResponsesContext()).ping(), ': ping\n\n');
});

test('nothing is sent after the end', () => {
  const events: GenerationEvent[] = toEvents(resultOf({ type: 'text', text: 'x' }));
  const twice = [...events, ...events.slice(1)];
  assert.equal(encodeFrames(twice).length, encodeFrames(events).length);
});
