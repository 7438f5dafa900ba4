import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { GatewayError } from '#errors';
import { catchRefusal } from '../../../../test/support/catch-refusal.ts';
import { decodeResponses } from '../../../../test/support/responses-exchange.ts';

const decode = decodeResponses;
const turnsOf = (...input: JsonObject[]) => decode({ input }).turns;

const refusalOf = (fields: JsonObject): GatewayError => catchRefusal(() => decode(fields));

test('a string is a question, instructions and leading developer messages are the instructions', () => {
  assert.deepEqual(decode({ input: 'Hi.' }).turns, [
    { role: 'user', blocks: [{ type: 'text', text: 'Hi.' }] },
  ]);
  const { system, turns } = decode({
    instructions: 'Be kind.',
    input: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'Hi.' },
      { role: 'system', content: [{ type: 'input_text', text: 'Be quick.' }] },
    ],
  });
  assert.deepEqual(
    system.map((block) => block.type === 'text' && block.text),
    ['Be kind.', 'Be brief.'],
  );
  assert.deepEqual(
    turns.map(({ role }) => role),
    ['user', 'system'],
  );
});

test('tools: functions, grammars, and namespaces under one flat name', () => {
  const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' };
  const { tools } = decode({
    tools: [
      {
        type: 'function',
        name: 'f',
        description: 'd',
        parameters: { type: 'object' },
        strict: null,
        defer_loading: true,
      },
      { type: 'custom', name: 'apply_patch', description: 'p', format: grammar },
      { type: 'namespace', name: 'mcp__fs__', tools: [{ type: 'function', name: 'read', strict: true }] },
    ],
  });
  assert.deepEqual(tools, [
    { type: 'function', name: 'f', description: 'd', inputSchema: { type: 'object' }, deferLoading: true },
    { type: 'custom', name: 'apply_patch', description: 'p', format: grammar },
    {
      type: 'function',
      name: 'mcp__fs__read',
      strict: true,
      extra: { responses: { namespace: 'mcp__fs__', name: 'read' } },
    },
  ]);
  const [turn] = turnsOf({
    type: 'function_call',
    call_id: 'c',
    namespace: 'crm',
    name: 'find',
    arguments: '{}',
  });
  assert.ok(turn?.blocks[0]?.type === 'tool-call' && turn.blocks[0].name === 'crm__find');
});

test('every form of tool_choice is read', () => {
  const allowed = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] };
  const cases: [unknown, unknown][] = [
    ['none', { type: 'none' }],
    ['auto', { type: 'auto' }],
    ['required', { type: 'any' }],
    [
      { type: 'function', name: 'f' },
      { type: 'tool', name: 'f' },
    ],
    [
      { type: 'custom', name: 'p' },
      { type: 'tool', name: 'p' },
    ],
    [allowed, { type: 'native', format: 'responses', value: allowed }],
    [{ type: 'web_search' }, { type: 'native', format: 'responses', value: { type: 'web_search' } }],
  ];
  for (const [said, read] of cases)
    assert.deepEqual(decode({ tool_choice: said as JsonObject }).toolChoice, read);
});

test('options: limits, sampling, reasoning, structured output, identity', () => {
  const request = decode({
    max_output_tokens: 9,
    temperature: 0.5,
    top_p: 0.9,
    parallel_tool_calls: false,
    reasoning: { effort: 'high', summary: 'detailed' },
    text: {
      format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true },
      verbosity: 'low',
    },
    safety_identifier: 'u1',
    service_tier: 'flex',
    prompt_cache_key: 'k',
    store: false,
    include: ['reasoning.encrypted_content'],
    metadata: { a: 'b' },
    truncation: 'auto',
  });
  assert.equal(request.maxOutputTokens, 9);
  assert.deepEqual(request.sampling, { temperature: 0.5, topP: 0.9 });
  assert.equal(request.parallelToolCalls, false);
  assert.deepEqual(request.reasoning, { effort: 'high', display: 'summarized' });
  assert.deepEqual(request.output, {
    type: 'json-schema',
    name: 'n',
    schema: { type: 'object' },
    strict: true,
  });
  assert.equal(request.endUser, 'u1');
  assert.equal(request.serviceTier, 'flex');
  assert.equal(request.extra?.responses?.['prompt_cache_key'], 'k');
  assert.equal(request.streamUsage, true);
  assert.deepEqual(decode({ reasoning: { effort: 'none' } }).reasoning, { mode: 'off', effort: 'none' });
});

test('what this gateway does not do is refused by name', () => {
  for (const [param, value] of Object.entries({
    background: true,
    conversation: 'conv_1',
    prompt: { id: 'pmpt_1' },
    top_logprobs: 3,
    include: ['message.output_text.logprobs'],
  })) {
    const { code, param: given } = refusalOf({ [param]: value });
    assert.deepEqual([code, given], ['unsupported_feature', param]);
  }
  decode({
    background: false,
    conversation: null,
    prompt: null,
    top_logprobs: 0,
    client_metadata: { a: 'b' },
  });
});

test('a malformed body is refused by path', () => {
  const cases: [JsonObject, string][] = [
    [{ model: '' }, 'model'],
    [{ input: 7 }, 'input'],
    [{ input: [] }, 'input'],
    [{ input: ['x'] }, 'input[0]'],
    [{ input: [{ role: 'tool', content: '' }] }, 'input[0].role'],
    [{ input: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }, 'input[0].content[0].type'],
    [{ input: [{ role: 'user', content: [{ type: 'input_image' }] }] }, 'input[0].content[0].image_url'],
    [{ input: [{ type: 'function_call', name: 'f', arguments: '{}' }] }, 'input[0].call_id'],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0]'],
    [{ input: [{ id: 'msg_1' }] }, 'input[0]'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].name'],
    [{ tools: [{ name: 'f' }] }, 'tools[0].type'],
    [{ tool_choice: 'maybe' }, 'tool_choice'],
    [{ temperature: 3 }, 'temperature'],
    [{ max_output_tokens: 0 }, 'max_output_tokens'],
    [{ top_logprobs: 21 }, 'top_logprobs'],
    [{ reasoning: { effort: 'huge' } }, 'reasoning.effort'],
    [{ text: { format: { type: 'xml' } } }, 'text.format.type'],
    [{ stream: 'yes' }, 'stream'],
    [{ store: 1 }, 'store'],
  ];
  for (const [fields, path] of cases) {
    const { code, param, message } = refusalOf(fields);
    assert.deepEqual([code, param], ['invalid_request', path]);
    assert.ok(message.startsWith(`${path}: `) || message.startsWith(`${path} `), message);
  }
});

test('a Chat body is sent to the right address', () => {
  const { code, param, message } = refusalOf({
    input: undefined,
    messages: [{ role: 'user', content: 'x' }],
  });
  assert.deepEqual([code, param], ['wrong_format', 'messages']);
  assert.match(message, /\/v1\/chat\/completions/);
});
