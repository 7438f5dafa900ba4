import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { decodeAs } from '../../../../test/support/decode-as.ts';
import {
  inputOf,
  openResponses,
  say,
  sendChat,
  sendMessages,
} from '../../../../test/support/responses-upstream.ts';
import { textOf } from '../../body/read-answer.ts';

test('[D-20] [D-22] long ids and names are shortened equally everywhere, and names restored in the answer', () => {
  const name = `mcp__${'a'.repeat(70)}`;
  const id = `functions.${name}:0`;
  const exchange = openResponses(
    decodeAs('messages', {
      tools: [{ name, input_schema: { type: 'object' } }],
      tool_choice: { type: 'tool', name },
      messages: [
        say('user', 'a'),
        say('assistant', [{ type: 'tool_use', id, name, input: {} }]),
        say('user', [{ type: 'tool_result', tool_use_id: id, content: 'b' }]),
      ],
    }),
  );
  const { body } = exchange;
  const [, call, output] = inputOf(body);
  const [tool] = body['tools'] as JsonObject[];
  assert.match(textOf(call?.['name']), /^[\w-]{1,64}$/);
  assert.equal(tool?.['name'], call?.['name']);
  assert.deepEqual(body['tool_choice'], { type: 'function', name: call?.['name'] });
  assert.match(textOf(call?.['call_id']), /^[\w-]{1,64}$/);
  assert.equal(output?.['call_id'], call?.['call_id']);
  const item = {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_9',
    name: tool?.['name'],
    arguments: '{}',
  };
  const result = exchange.decodeResult({ id: 'r', status: 'completed', output: [item] });
  assert.ok('blocks' in result);
  assert.equal(result.blocks[0]?.type === 'tool-call' && result.blocks[0].name, name);
});

test('[D-72] strict is always sent, as true only for a schema that OpenAI accepts', () => {
  const closed = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };
  const body = sendMessages({
    tools: [
      { name: 'open', input_schema: { type: 'object', properties: { a: {} } }, strict: true },
      { name: 'closed', input_schema: closed, strict: true },
      { name: 'silent', input_schema: closed },
    ],
  });
  assert.deepEqual(
    (body['tools'] as JsonObject[]).map(({ name, strict }) => [name, strict]),
    [
      ['open', false],
      ['closed', true],
      ['silent', false],
    ],
  );
});

test("Anthropic's own tools become functions or are left out", () => {
  const body = sendMessages({
    tools: [
      { type: 'bash_20250124', name: 'bash' },
      { type: 'tool_search_tool_regex', name: 'tool_search_tool_regex' },
      { name: 'f', input_schema: { type: 'object' }, defer_loading: true },
    ],
  });
  assert.deepEqual(
    (body['tools'] as JsonObject[]).map(({ type, name, defer_loading: deferred }) => [type, name, deferred]),
    [
      ['function', 'bash', undefined],
      ['function', 'f', undefined],
    ],
  );
});

test('custom tools, their calls and their results keep their kind', () => {
  const format = { type: 'grammar', grammar: { syntax: 'regex', definition: '.+' } };
  const body = sendChat({
    tools: [{ type: 'custom', custom: { name: 'sql', format } }],
    tool_choice: { type: 'custom', custom: { name: 'sql' } },
    messages: [
      say('user', 'a'),
      {
        role: 'assistant',
        tool_calls: [{ id: 'call_1', type: 'custom', custom: { name: 'sql', input: 'SELECT' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '1' },
    ],
  });
  assert.deepEqual(body['tools'], [
    { type: 'custom', name: 'sql', format: { type: 'grammar', syntax: 'regex', definition: '.+' } },
  ]);
  assert.deepEqual(body['tool_choice'], { type: 'custom', name: 'sql' });
  assert.deepEqual(inputOf(body).slice(1), [
    { type: 'custom_tool_call', call_id: 'call_1', name: 'sql', input: 'SELECT' },
    { type: 'custom_tool_call_output', call_id: 'call_1', output: '1' },
  ]);
});

test("Chat's allowed tools are flattened", () => {
  const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } };
  const allowed = { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] };
  const body = sendChat({ tools: [tool], tool_choice: { type: 'allowed_tools', allowed_tools: allowed } });
  assert.deepEqual(body['tool_choice'], {
    type: 'allowed_tools',
    mode: 'required',
    tools: [{ type: 'function', name: 'f' }],
  });
});

test("Chat's search models get the search tool", () => {
  const options = {
    search_context_size: 'low',
    user_location: { type: 'approximate', approximate: { city: 'Bern' } },
  };
  assert.deepEqual(sendChat({ web_search_options: options })['tools'], [
    { type: 'web_search', search_context_size: 'low', user_location: { type: 'approximate', city: 'Bern' } },
  ]);
});
