import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '#base';
import type { Dialect } from '#canonical';
import {
  createMessagesBody,
  createMessagesTarget,
  decodeMessages,
  encodeFor,
} from '../../../../test/support/messages-exchange.ts';
import { messagesInbound, messagesOutbound } from '../index.ts';

function forward(members: JsonObject, dialect: Partial<Dialect> = {}): JsonObject {
  return encodeFor(decodeMessages(members), createMessagesTarget(dialect));
}

/** The forwarded content of an assistant message that follows a user message. */
function forwardContent(content: JsonValue[], dialect: Partial<Dialect> = {}): JsonValue | undefined {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content },
    { role: 'user', content: 'Go' },
  ];
  const forwarded = forward({ messages }, dialect)['messages'] as JsonObject[];
  return forwarded.find((message) => message['role'] === 'assistant')?.['content'];
}

const ephemeral = { type: 'ephemeral' };

test("the caller's subtrees travel unbuilt; only the model and unknown fields differ", () => {
  const body = createMessagesBody({
    system: [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=2' },
      { type: 'text', text: 'Be kind.' },
    ],
    messages: [
      {
        role: 'user',
        content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: '', signature: 'sig' },
          { type: 'hologram', beam: [1] },
        ],
      },
      { role: 'system', content: 'Now.', clear_at: 5 },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'tool_reference', tool_name: 'x' }],
          },
        ],
      },
    ],
    tools: [
      { type: 'tool_search_tool_bm25', name: 's' },
      { name: 'x', input_schema: { $schema: 'y' }, defer_loading: true, eager_input_streaming: true },
    ],
    thinking: { type: 'enabled', budget_tokens: 500 },
    output_config: { effort: 'max', task_budget: { total: 1 } },
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    context_management: { edits: [] },
    metadata: { user_id: 'u' },
    temperature: 1,
    stream: true,
  });
  const sent = encodeFor(messagesInbound.decodeRequest({ ...body, seed: 1, response_format: {} }, {}));
  for (const name of ['system', 'thinking', 'output_config']) assert.equal(sent[name], body[name]);
  for (const name of ['messages', 'tools']) {
    (sent[name] as JsonValue[]).forEach((item, at) => assert.equal(item, (body[name] as JsonValue[])[at]));
  }
  assert.deepEqual(sent, { ...body, model: 'claude-x-20260101' });
});

test('versions and betas go on verbatim', () => {
  const headersOf = (headers: Record<string, string>, dialect: Partial<Dialect> = {}) =>
    messagesOutbound.openExchange(decodeMessages({}, headers), createMessagesTarget(dialect)).headers;
  assert.deepEqual(headersOf({}), { 'anthropic-version': '2023-06-01' });
  assert.deepEqual(headersOf({ 'anthropic-version': '2026-10-21', 'anthropic-beta': 'b-1, a-2' }), {
    'anthropic-version': '2026-10-21',
    'anthropic-beta': 'b-1,a-2',
  });
  assert.deepEqual(headersOf({ 'anthropic-beta': 'b-1' }, { betas: 'none' }), {
    'anthropic-version': '2023-06-01',
  });
});

test('[D-53] [D-79] [D-80] where betas are refused their fields go with them', () => {
  const tool = { name: 'x', input_schema: {} };
  const sent = forward(
    {
      context_management: { edits: [] },
      output_format: { type: 'json_schema', schema: {} },
      mcp_servers: [],
      output_config: { effort: 'low', task_budget: { total: 1 } },
      tools: [
        { ...tool, defer_loading: false, strict: true, input_examples: [], eager_input_streaming: true },
        { type: 'mcp_toolset' },
      ],
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'system', content: 'Now.', clear_at: 5 },
      ],
    },
    { betas: 'none' },
  );
  assert.deepEqual(sent, {
    model: 'claude-x-20260101',
    max_tokens: 100,
    output_config: { effort: 'low' },
    tools: [tool],
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'system', content: 'Now.' },
    ],
  });
});

test('[D-54] without tool search every tool is sent eagerly, and its traces in the history become text', () => {
  const sent = forward(
    {
      tools: [
        { type: 'tool_search_tool_regex_20251119', name: 's' },
        { name: 'x', input_schema: {}, defer_loading: true },
      ],
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_regex', input: {} },
            { type: 'tool_search_tool_result', tool_use_id: 'srvtoolu_1', content: {} },
            { type: 'tool_use', id: 'toolu_1', name: 'find', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [{ type: 'tool_reference', tool_name: 'x' }],
            },
          ],
        },
      ],
    },
    { toolSearch: false },
  );
  assert.deepEqual(sent['tools'], [{ name: 'x', input_schema: {} }]);
  assert.deepEqual((sent['messages'] as JsonObject[]).slice(1), [
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'find', input: {} }] },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: [{ type: 'text', text: 'Tool available: x' }],
        },
      ],
    },
  ]);
});

test('[D-44] unsigned and foreign thinking is dropped, signed thinking untouched', () => {
  const signed = { type: 'thinking', thinking: 'a', signature: 'sig' };
  const kept = forwardContent([
    { type: 'thinking', thinking: 'b', signature: '' },
    { type: 'thinking', thinking: 'c', signature: 'sluice.chat.sig' },
    { type: 'thinking', thinking: 'd' },
    { type: 'redacted_thinking', data: 'sluice.chat.enc' },
    signed,
    { type: 'redacted_thinking', data: 'enc' },
    { type: 'text', text: 'e' },
  ]);
  assert.deepEqual(kept, [signed, { type: 'redacted_thinking', data: 'enc' }, { type: 'text', text: 'e' }]);
});

test('[D-42] a signature of empty thinking is kept', () => {
  const content = [
    { type: 'thinking', thinking: '', signature: 'sig' },
    { type: 'text', text: 'e' },
  ];
  assert.deepEqual(forwardContent(content), content);
});

test('an assistant turn of nothing but dropped thinking disappears', () => {
  assert.equal(forwardContent([{ type: 'thinking', thinking: 'b', signature: '' }]), undefined);
});

test('[D-41] a tool turn that lost its thinking is not continued with a manual budget', () => {
  const thinking = { type: 'enabled', budget_tokens: 2000 };
  const history = (signature: string) => [
    { role: 'user', content: 'Hi' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'x', signature },
        { type: 'tool_use', id: 'a', name: 'f', input: {} },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
  ];
  assert.equal(forward({ thinking, messages: history('') })['thinking'], undefined);
  assert.equal(forward({ thinking, messages: history('sig') })['thinking'], thinking);
  assert.deepEqual(forward({ thinking: { type: 'adaptive' }, messages: history('') })['thinking'], {
    type: 'adaptive',
  });
});

test('[D-74] the mark of a dropped empty text moves to the block before it, also across messages', () => {
  assert.deepEqual(
    forwardContent([
      { type: 'text', text: 'a' },
      { type: 'thinking', thinking: '', signature: 's' },
      { type: 'text', text: '', cache_control: ephemeral },
    ]),
    [
      { type: 'text', text: 'a', cache_control: ephemeral },
      { type: 'thinking', thinking: '', signature: 's' },
    ],
  );
  const sent = forward({
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'text', text: '', cache_control: ephemeral }] },
      { role: 'user', content: 'Go' },
    ],
  });
  assert.deepEqual(sent['messages'], [
    { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: ephemeral }] },
    { role: 'user', content: 'Go' },
  ]);
});

test('[D-19] ids outside the alphabet are replaced alike in the call and its result', () => {
  const sent = forward({
    messages: [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'functions.Bash:0', name: 'Bash', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'functions.Bash:0', content: 'ok' }] },
    ],
  });
  const [call, result] = (sent['messages'] as JsonObject[]).map(
    (message) => (message['content'] as JsonObject[])[0],
  );
  assert.match(JSON.stringify(call?.['id']), /^"[a-zA-Z0-9_-]+"$/);
  assert.equal(call?.['id'], result?.['tool_use_id']);
});

test('[D-32] a system turn stays in place, or becomes a user message if the upstream refuses it', () => {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'system', content: 'Now.' },
  ];
  assert.deepEqual(forward({ messages })['messages'], messages);
  const [, second] = forward({ messages }, { midSystem: 'as-user' })['messages'] as JsonObject[];
  assert.deepEqual(second, { role: 'user', content: 'Now.' });
});

test('[D-49] the attribution block is sent first and unchanged to Anthropic, and to no other', () => {
  const system = [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=2; cch=abc' },
    { type: 'text', text: 'Be kind.' },
  ];
  assert.deepEqual(forward({ system })['system'], system);
  assert.deepEqual(forward({ system }, { betas: 'none' })['system'], [system[1]]);
  assert.equal(forward({ system: system.slice(0, 1) }, { betas: 'none' })['system'], undefined);
});

test('[D-34] unsigned thinking is returned to upstreams that expect their own; other thinking is not', () => {
  const plain = { type: 'thinking', thinking: 'b', signature: '' };
  const content = [
    plain,
    { type: 'thinking', thinking: 'c', signature: 'sluice.chat.sig' },
    { type: 'text', text: 'e' },
  ];
  const kept = forwardContent(content, { reasoningReplay: 'reasoning_content' });
  assert.deepEqual(kept, [plain, { type: 'text', text: 'e' }]);
});

test('[D-36] [D-38] thinking is sent on unchanged: disabled, and a budget below the minimum', () => {
  for (const thinking of [
    { type: 'disabled' },
    { type: 'enabled', budget_tokens: 500 },
    { type: 'between_tools' },
  ]) {
    assert.equal(forward({ thinking })['thinking'], thinking);
  }
});

test('the body the caller sent is never changed', () => {
  const body = createMessagesBody({
    tools: [{ name: 'x', input_schema: {}, defer_loading: false, cache_control: ephemeral }],
    messages: [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: '', cache_control: ephemeral },
          { type: 'tool_use', id: 'a:b', name: 'x', input: {} },
        ],
      },
    ],
  });
  const before = structuredClone(body);
  const request = messagesInbound.decodeRequest(body, {});
  encodeFor(request, createMessagesTarget({ betas: 'none', toolSearch: false, cacheMarks: 'none' }));
  encodeFor(request);
  assert.deepEqual(body, before);
});
