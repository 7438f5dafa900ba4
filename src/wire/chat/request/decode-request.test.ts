import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catchRefusal } from '../../../../test/support/catch-refusal.ts';
import { type JsonObject, type JsonValue, parseJsonObject } from '#base';
import type { GatewayError } from '#errors';
import { decodeChat } from '../../../../test/support/chat-exchange.ts';

const refusalOf = (fields: JsonObject): GatewayError => catchRefusal(() => decodeChat(fields));

function user(...parts: JsonObject[]): JsonObject {
  return { messages: [{ role: 'user', content: parts }] };
}

test('the options of a request are decoded', () => {
  const body: JsonObject = {
    max_tokens: 10,
    max_completion_tokens: 20,
    stop: 'END',
    n: 3,
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.5,
    top_p: 1,
    top_k: 40,
    frequency_penalty: -1,
    presence_penalty: 1,
    seed: 7,
    parallel_tool_calls: false,
    reasoning_effort: 'xhigh',
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'x', schema: { type: 'object' }, strict: true },
    },
    user: 'u',
    safety_identifier: 's',
    service_tier: 'flex',
    logprobs: true,
    metadata: { a: 'b' },
    prompt_cache_key: 'k',
    some_new_field: 1,
  };
  const request = decodeChat(body);
  assert.equal(request.maxOutputTokens, 20);
  assert.deepEqual(request.stopSequences, ['END']);
  assert.equal(request.choices, 3);
  assert.ok(request.stream && request.streamUsage);
  assert.deepEqual(request.sampling, {
    temperature: 0.5,
    topP: 1,
    topK: 40,
    frequencyPenalty: -1,
    presencePenalty: 1,
    seed: 7,
  });
  assert.equal(request.parallelToolCalls, false);
  assert.deepEqual(request.reasoning, { effort: 'xhigh' });
  assert.deepEqual(request.output, {
    type: 'json-schema',
    name: 'x',
    schema: { type: 'object' },
    strict: true,
  });
  assert.equal(request.endUser, 's');
  assert.equal(request.serviceTier, 'flex');
  assert.deepEqual(request.extra, { chat: { logprobs: true, metadata: { a: 'b' }, prompt_cache_key: 'k' } });
  assert.deepEqual(decodeChat({ reasoning_effort: 'none' }).reasoning, { mode: 'off', effort: 'none' });
});

test('a request with only `functions` is answered with a `function_call`, one with tools is not', () => {
  const functions = [{ name: 'f', parameters: { type: 'object' } }];
  const tools = functions.map((value) => ({ type: 'function', function: value }));
  const readLegacy = (fields: JsonObject) => {
    const { legacyCalls, parallelToolCalls } = decodeChat(fields);
    return [legacyCalls, parallelToolCalls];
  };
  assert.deepEqual(readLegacy({ functions }), [true, false]);
  assert.deepEqual(readLegacy({ tools }), [undefined, undefined]);
  assert.deepEqual(readLegacy({}), [undefined, undefined]);
});

test('every form of tool_choice is read', () => {
  const allowed = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } };
  const forms: [JsonValue, unknown][] = [
    ['none', { type: 'none' }],
    ['auto', { type: 'auto' }],
    ['required', { type: 'any' }],
    [
      { type: 'function', function: { name: 'f' } },
      { type: 'tool', name: 'f' },
    ],
    [
      { type: 'custom', custom: { name: 'c' } },
      { type: 'tool', name: 'c' },
    ],
    [allowed, { type: 'native', format: 'chat', value: allowed }],
  ];
  for (const [value, expected] of forms)
    assert.deepEqual(decodeChat({ tool_choice: value }).toolChoice, expected);
});

test('an option that is null is absent', () => {
  const nullable = [
    'temperature',
    'top_p',
    'n',
    'stop',
    'stream',
    'stream_options',
    'seed',
    'max_tokens',
    'reasoning_effort',
    'logprobs',
    'metadata',
    'service_tier',
    'parallel_tool_calls',
  ];
  const nulls = decodeChat(Object.fromEntries(nullable.map((field) => [field, null])));
  assert.deepEqual({ ...nulls, origin: undefined }, { ...decodeChat({}), origin: undefined });
  for (const field of ['model', 'messages']) {
    assert.equal(refusalOf({ [field]: null }).facts.param, field);
  }
});

test('malformed fields are refused by their path', () => {
  const cases: [JsonObject, string][] = [
    [{ model: '' }, 'model'],
    [{ model: 5 }, 'model'],
    [{ messages: [] }, 'messages'],
    [{ messages: 'x' }, 'messages'],
    [{ messages: [null] }, 'messages[0]'],
    [{ messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role'],
    [{ messages: [{ role: 'user' }] }, 'messages[0].content'],
    [{ messages: [{ role: 'user', content: null }] }, 'messages[0].content'],
    [{ messages: [{ role: 'user', content: [] }] }, 'messages[0].content'],
    [user({ type: 'video' }), 'messages[0].content[0].type'],
    [user({ type: 'text' }), 'messages[0].content[0].text'],
    [user({ type: 'image_url', image_url: 'x' }), 'messages[0].content[0].image_url'],
    [
      user({ type: 'image_url', image_url: { url: 'data:image/png,AAAA' } }),
      'messages[0].content[0].image_url.url',
    ],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].tool_call_id'],
    [{ messages: [{ role: 'assistant', tool_calls: [{ id: 'a' }] }] }, 'messages[0].tool_calls[0].function'],
    [{ max_tokens: '5' }, 'max_tokens'],
    [{ max_tokens: 1.5 }, 'max_tokens'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ temperature: '1' }, 'temperature'],
    [{ temperature: 2.1 }, 'temperature'],
    [{ n: 129 }, 'n'],
    [{ stop: [1] }, 'stop[0]'],
    [{ stream: 'true' }, 'stream'],
    [{ reasoning_effort: 'extreme' }, 'reasoning_effort'],
    [{ response_format: { type: 'xml' } }, 'response_format.type'],
    [{ response_format: { type: 'json_schema' } }, 'response_format.json_schema'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].function'],
    [{ tools: [{ type: 'web_search' }] }, 'tools[0].type'],
    [{ tool_choice: 'any' }, 'tool_choice'],
    [
      { messages: [{ role: 'user', content: 'x', cache_control: { type: 'forever' } }] },
      'messages[0].cache_control.type',
    ],
  ];
  for (const [fields, param] of cases) {
    const error = refusalOf(fields);
    assert.equal(error.code, 'invalid_request', param);
    assert.equal(error.facts.param, param);
    assert.ok(error.message.startsWith(`${param}: `), error.message);
  }
});

test('a number that overflows is refused', () => {
  const fields = parseJsonObject('{"temperature": 1e309}');
  assert.ok(fields);
  assert.equal(refusalOf(fields).facts.param, 'temperature');
});

test('a Messages body is refused by its paths and sent to its own endpoint', () => {
  const cases: [JsonObject, string][] = [
    [{ system: 'Be brief.' }, 'system'],
    [{ tools: [{ name: 'f', input_schema: { type: 'object' } }] }, 'tools[0].input_schema'],
    [
      { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] }] },
      'messages[0].content[0]',
    ],
    [
      { messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] }] },
      'messages[0].content[0]',
    ],
  ];
  for (const [fields, path] of cases) {
    const error = refusalOf(fields);
    assert.equal(error.code, 'wrong_format');
    assert.ok(error.message.includes(path) && error.message.includes('/v1/messages'), error.message);
    assert.equal(error.facts.param, path);
  }
});

test('the refusal of a Messages body names at most eight of its paths', () => {
  const content = Array.from({ length: 9 }, () => ({ type: 'tool_result', tool_use_id: 'a' }));
  const { message } = refusalOf({ messages: [{ role: 'user', content }] });
  assert.ok(message.includes('content[7]') && !message.includes('content[8]'), message);
});

test('the body is kept without copying any of it', () => {
  const body: JsonObject = {
    model: 'm',
    messages: [{ role: 'user', content: 'x' }],
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
  };
  const request = decodeChat(body);
  assert.equal(request.origin.format, 'chat');
  assert.equal(request.origin.body['messages'], body['messages']);
});

test('a request asks for one answer as text unless it says otherwise', () => {
  const { choices, output, stream, streamUsage } = decodeChat({ response_format: { type: 'text' } });
  assert.deepEqual([choices, output, stream, streamUsage], [1, undefined, false, false]);
  const schema = { name: 'x', schema: { type: 'object' }, description: 'An x.' };
  assert.deepEqual(decodeChat({ response_format: { type: 'json_schema', json_schema: schema } }).output, {
    type: 'json-schema',
    ...schema,
  });
});

test('tools are decoded with what describes them, and without what they lack', () => {
  const { tools, extra } = decodeChat({
    tools: [
      {
        type: 'function',
        function: { name: 'f', description: 'An f.', strict: true, parameters: { type: 'object' } },
      },
      { type: 'function', function: { name: 'g' } },
      {
        type: 'custom',
        custom: {
          name: 'c',
          description: 'A c.',
          format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } },
        },
      },
      { type: 'custom', custom: { name: 'd', format: { type: 'text' } } },
    ],
  });
  assert.deepEqual(tools, [
    { type: 'function', name: 'f', description: 'An f.', inputSchema: { type: 'object' }, strict: true },
    { type: 'function', name: 'g' },
    {
      type: 'custom',
      name: 'c',
      description: 'A c.',
      format: { type: 'grammar', syntax: 'lark', definition: 'x' },
    },
    { type: 'custom', name: 'd', format: { type: 'text' } },
  ]);
  assert.equal(extra, undefined);
});
