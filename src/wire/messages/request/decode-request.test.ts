import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catchRefusal } from '../../../../test/support/catch-refusal.ts';
import { type JsonObject, type JsonValue, parseJsonObject } from '#base';
import type { GatewayError } from '#errors';
import { createMessagesBody, decodeMessages } from '../../../../test/support/messages-exchange.ts';
import { decodeCountTokens, messagesInbound } from '../index.ts';
import { messagesRequestSchema } from '../schema.ts';

const refusalOf = (members: JsonObject): GatewayError => catchRefusal(() => decodeMessages(members));

const user = (...content: JsonValue[]): JsonObject => ({ messages: [{ role: 'user', content }] });

test('every block type of the API is decoded, and unknown ones are kept verbatim', () => {
  const future = { type: 'hologram', beam: { width: 3 } };
  const request = decodeMessages({
    system: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          {
            type: 'document',
            source: { type: 'url', url: 'https://x.test/a.pdf' },
            title: 'A',
            context: 'B',
          },
          {
            type: 'search_result',
            source: 'https://x.test',
            title: 'T',
            content: [{ type: 'text', text: 'found' }],
          },
          future,
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: '', signature: 'sig' },
          { type: 'redacted_thinking', data: 'enc' },
          { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 1 } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', is_error: true },
          { type: 'tool_result', tool_use_id: 'toolu_2' },
        ],
      },
      { role: 'system', content: 'Mind the time.' },
    ],
  });
  assert.deepEqual(request.system, [{ type: 'text', text: 'Be kind.', cache: { ttl: '1h' } }]);
  assert.deepEqual(
    request.turns.map((turn) => turn.blocks),
    [
      [
        { type: 'media', kind: 'image', source: { base64: 'AAAA' }, mediaType: 'image/png' },
        {
          type: 'media',
          kind: 'document',
          source: { url: 'https://x.test/a.pdf' },
          title: 'A',
          context: 'B',
        },
        {
          type: 'media',
          kind: 'document',
          title: 'T',
          context: 'https://x.test',
          source: { blocks: [{ type: 'text', text: 'found' }] },
        },
        { type: 'native', format: 'messages', value: future },
      ],
      [
        { type: 'reasoning', text: '', signature: 'sig', issuer: 'anthropic' },
        { type: 'reasoning', text: '', redacted: 'enc', issuer: 'anthropic' },
        { type: 'tool-call', id: 'toolu_1', name: 'look', input: { value: { at: 1 } } },
      ],
      [
        { type: 'tool-result', callId: 'toolu_1', blocks: [], isError: true },
        { type: 'tool-result', callId: 'toolu_2', blocks: [], isError: false },
      ],
      [{ type: 'text', text: 'Mind the time.' }],
    ],
  );
});

test('tool inputs and the body are referred to, never copied', () => {
  const input = { deep: [1, 2] };
  const body = createMessagesBody({
    messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'b', input }] }],
  });
  const request = messagesInbound.decodeRequest(body, {});
  const [block] = request.turns[0]?.blocks ?? [];
  assert.ok(block?.type === 'tool-call' && 'value' in block.input);
  assert.equal(block.input.value, input);
  assert.equal(request.origin.body, body);
});

test('options are decoded: tools, choice, thinking, effort, output, user, tier', () => {
  const schema = { type: 'object', properties: {} };
  const request = decodeMessages({
    tools: [
      {
        name: 'a',
        input_schema: schema,
        description: 'A',
        strict: true,
        cache_control: { type: 'ephemeral' },
      },
      { type: 'tool_search_tool_regex', name: 'search' },
      { name: 'b', input_schema: schema, defer_loading: true },
    ],
    tool_choice: { type: 'tool', name: 'a', disable_parallel_tool_use: true },
    thinking: { type: 'enabled', budget_tokens: 500, display: 'omitted' },
    output_config: { effort: 'xhigh', format: { type: 'json_schema', schema } },
    stop_sequences: ['END'],
    temperature: 0.5,
    top_p: 0.9,
    top_k: 5,
    metadata: { user_id: 'u1' },
    service_tier: 'standard_only',
    stream: true,
  });
  assert.deepEqual(request.tools, [
    { type: 'function', name: 'a', inputSchema: schema, description: 'A', strict: true, cache: {} },
    {
      type: 'native',
      format: 'messages',
      name: 'search',
      value: { type: 'tool_search_tool_regex', name: 'search' },
    },
    { type: 'function', name: 'b', inputSchema: schema, deferLoading: true },
  ]);
  assert.deepEqual(request.toolChoice, { type: 'tool', name: 'a' });
  assert.equal(request.parallelToolCalls, false);
  assert.deepEqual(request.reasoning, {
    mode: 'budget',
    budgetTokens: 500,
    display: 'omitted',
    effort: 'xhigh',
  });
  assert.deepEqual(request.output, { type: 'json-schema', name: 'output', schema, strict: true });
  assert.deepEqual(request.sampling, { temperature: 0.5, topP: 0.9, topK: 5 });
  assert.equal(request.endUser, 'u1');
  assert.equal(request.serviceTier, 'standard_only');
  assert.equal(request.stream, true);
});

test('the deprecated output_format is still understood', () => {
  const schema = { type: 'object' };
  const { output } = decodeMessages({ output_format: { type: 'json_schema', schema } });
  assert.equal(output?.type === 'json-schema' && output.schema, schema);
});

test('fields only this format has are named in extra; unknown ones are ignored', () => {
  const request = decodeMessages({
    container: 'c1',
    speed: null,
    cache_control: { type: 'ephemeral' },
    output_config: { task_budget: { total: 5 } },
    frequency_penalty: 2,
    __future__: 1,
  });
  assert.deepEqual(request.extra, {
    messages: {
      container: 'c1',
      cache_control: { type: 'ephemeral' },
      output_config: { task_budget: { total: 5 } },
    },
  });
});

test('an option that is null is absent', () => {
  const body = createMessagesBody();
  const given = Object.keys(messagesRequestSchema.properties).filter((name) => !(name in body));
  const nulls = decodeMessages(Object.fromEntries(given.map((name) => [name, null])));
  assert.deepEqual({ ...nulls, origin: undefined }, { ...decodeMessages(), origin: undefined });
});

test('a single field that only this format has is named in extra, and without any there is none', () => {
  assert.deepEqual(decodeMessages({ container: 'c1' }).extra, { messages: { container: 'c1' } });
  assert.equal('extra' in decodeMessages({ frequency_penalty: 2 }), false);
});

test('Chat-only parameters are not refused by themselves', () => {
  const parameters = {
    response_format: { type: 'json_object' },
    stream_options: {},
    n: 2,
    stop: 'x',
    seed: 1,
  };
  assert.equal(decodeMessages({ ...parameters, max_completion_tokens: 5, logit_bias: {} }).choices, 1);
});

test('max_tokens 0 is legal, and only count_tokens may leave it out', () => {
  assert.equal(decodeMessages({ max_tokens: 0 }).maxOutputTokens, 0);
  const body = { model: 'claude-x', messages: [{ role: 'user', content: 'Hi' }] };
  assert.throws(() => messagesInbound.decodeRequest(body, {}), /max_tokens: field required/);
  assert.equal(decodeCountTokens(body, {}).maxOutputTokens, undefined);
});

for (const number of ['"5"', '1.5', 'null', '1e309', '-1', '9007199254740993', 'true']) {
  test(`[I7] max_tokens ${number} is refused`, () => {
    const body = parseJsonObject(
      `{"model":"m","messages":[{"role":"user","content":"x"}],"max_tokens":${number}}`,
    );
    assert.throws(() => messagesInbound.decodeRequest(body ?? {}, {}), /^GatewayError: max_tokens: /);
  });
}

const MALFORMED: [members: JsonObject, path: string][] = [
  [{ model: 5 }, 'model'],
  [{ model: '' }, 'model'],
  [{ messages: 'Hi' }, 'messages'],
  [{ messages: [] }, 'messages'],
  [{ messages: [7] }, 'messages.0'],
  [{ messages: [{ role: 'robot', content: '' }] }, 'messages.0.role'],
  [{ messages: [{ role: 'user' }] }, 'messages.0.content'],
  [{ messages: [{ role: 'user', content: 5 }] }, 'messages.0.content'],
  [user('text'), 'messages.0.content.0'],
  [user({ text: 'x' }), 'messages.0.content.0.type'],
  [user({ type: 'text', text: 'x' }, { type: 'text' }), 'messages.0.content.1.text'],
  [user({ type: 'text', text: 'x', cache_control: 'ephemeral' }), 'messages.0.content.0.cache_control'],
  [
    user({ type: 'image', source: { type: 'base64', media_type: 'image/png' } }),
    'messages.0.content.0.source.data',
  ],
  [user({ type: 'image' }), 'messages.0.content.0.source'],
  [user({ type: 'document', source: { type: 'text', data: 1 } }), 'messages.0.content.0.source.data'],
  [user({ type: 'tool_use', id: 'a', name: 'b', input: '{}' }), 'messages.0.content.0.input'],
  [user({ type: 'tool_result', content: 'x' }), 'messages.0.content.0.tool_use_id'],
  [
    user({ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 1 }] }),
    'messages.0.content.0.content.0.text',
  ],
  [user({ type: 'thinking', signature: 'x' }), 'messages.0.content.0.thinking'],
  [user({ type: 'redacted_thinking' }), 'messages.0.content.0.data'],
  [{ system: 5 }, 'system'],
  [{ tools: {} }, 'tools'],
  [{ tools: [{ name: 'a' }] }, 'tools.0.input_schema'],
  [{ tools: [{ input_schema: {} }] }, 'tools.0.name'],
  [{ tool_choice: { type: 'tool' } }, 'tool_choice.name'],
  [{ temperature: '0.5' }, 'temperature'],
  [{ top_p: [] }, 'top_p'],
  [{ top_k: 1.5 }, 'top_k'],
  [{ stream: 'true' }, 'stream'],
  [{ stop_sequences: 'END' }, 'stop_sequences'],
  [{ stop_sequences: ['a', 1] }, 'stop_sequences.1'],
  [{ thinking: { type: 'enabled' } }, 'thinking.budget_tokens'],
  [{ thinking: { type: 'enabled', budget_tokens: 1e400 } }, 'thinking.budget_tokens'],
  [{ output_config: [] }, 'output_config'],
  [{ output_config: { format: { type: 'json_schema' } } }, 'output_config.format.schema'],
  [{ metadata: 'me' }, 'metadata'],
];

for (const [members, path] of MALFORMED) {
  test(`a malformed ${path} is refused by its path: ${JSON.stringify(members).slice(0, 60)}`, () => {
    const error = refusalOf(members);
    assert.equal(error.code, 'invalid_request');
    assert.ok(error.message.startsWith(`${path}: `), error.message);
    assert.equal(error.facts.param, path);
  });
}

test('a missing member is reported as required, a wrong one with what it must be', () => {
  const complaintOf = (members: JsonObject) => refusalOf(members).message;
  assert.equal(complaintOf(user({ type: 'text' })), 'messages.0.content.0.text: field required');
  assert.equal(complaintOf(user({ type: 'text', text: 5 })), 'messages.0.content.0.text: must be a string');
});

test('[I15] a deferred tool with a cache mark, or nothing but deferred tools, is refused', () => {
  const deferred = { name: 'a', input_schema: {}, defer_loading: true };
  assert.match(
    refusalOf({ tools: [{ ...deferred, cache_control: { type: 'ephemeral' } }] }).message,
    /^tools\.0: /,
  );
  assert.match(refusalOf({ tools: [deferred, { ...deferred, name: 'b' }] }).message, /^tools: /);
});

test('[I5] too many messages or tools are refused by their count', () => {
  const message = { role: 'user', content: 'x' };
  assert.match(refusalOf({ messages: new Array(100_001).fill(message) }).message, /^messages: .*100000/);
  const tool = { name: 'a', input_schema: {} };
  assert.match(refusalOf({ tools: new Array(10_001).fill(tool) }).message, /^tools: .*10000/);
});

test('[I3] members named like the prototype are data', () => {
  const text =
    '{"model":"m","max_tokens":1,"__proto__":{"evil":1},"messages":[{"role":"user","content":[{"type":"constructor","__proto__":{"evil":1}}]}],"metadata":{"__proto__":{"user_id":"x"}}}';
  const request = messagesInbound.decodeRequest(parseJsonObject(text) ?? {}, {});
  assert.equal(request.turns[0]?.blocks[0]?.type, 'native');
  assert.equal(({} as JsonObject)['evil'], undefined);
});

test('[D-33] thinking of a foreign issuer is returned only to that issuer', () => {
  const { turns } = decodeMessages({
    messages: [
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 'sluice.chat.abc' }] },
    ],
  });
  assert.deepEqual(turns[0]?.blocks, [{ type: 'reasoning', text: 'hm', signature: 'abc', issuer: 'chat' }]);
});
