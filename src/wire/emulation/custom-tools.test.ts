import type { JsonObject } from '#base';
import type { CanonicalRequest, GenerationEvent, Target } from '#canonical';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { CHAT_DIALECT, collect } from '#canonical';
import { getInboundFormat, getOutboundFormat } from '../formats.ts';
import { isFailure } from '../contract.ts';

const TARGET: Target = { providerId: 'p', externalId: 'm', dialect: CHAT_DIALECT, reasoning: false };
const NATIVE: Target = { ...TARGET, dialect: { ...CHAT_DIALECT, customTools: true } };
const PATCH = '*** Begin Patch\n"quoted"\n*** End Patch';
const TOOL = {
  type: 'custom',
  custom: {
    name: 'apply_patch',
    description: 'edits files',
    format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } },
  },
};

function decode(messages: JsonObject[]): CanonicalRequest {
  return getInboundFormat('chat').decodeRequest({ model: 'm', messages, tools: [TOOL] }, {});
}

const ASKED = [{ role: 'user', content: 'go' }];
const HISTORY = [
  ...ASKED,
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'custom', custom: { name: 'apply_patch', input: PATCH } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'done' },
];

test('a custom tool becomes a function of one string, with its grammar in the description', () => {
  const { body } = getOutboundFormat('chat').openExchange(decode(ASKED), TARGET);
  const [tool] = body['tools'] as JsonObject[];
  const { name, parameters } = tool?.['function'] as { name: string; parameters: JsonObject };
  assert.equal(name, 'apply_patch');
  assert.deepEqual(parameters['required'], ['input']);
  assert.equal(parameters['additionalProperties'], false);
  assert.match(JSON.stringify(parameters), /lark grammar:\\nstart/);
});

test('custom calls in the history become calls of that function', () => {
  const { body } = getOutboundFormat('chat').openExchange(decode(HISTORY), TARGET);
  const call = (body['messages'] as { tool_calls?: { type: string; function: JsonObject }[] }[])[1]
    ?.tool_calls?.[0];
  assert.equal(call?.type, 'function');
  assert.deepEqual(JSON.parse(call.function['arguments'] as string), { input: PATCH });
});

test('where the upstream has custom tools they stay as they are', () => {
  const { body } = getOutboundFormat('chat').openExchange(decode(HISTORY), NATIVE);
  assert.deepEqual(body['tools'], [TOOL]);
  assert.deepEqual(body['messages'], HISTORY);
});

const ANSWERED = { name: 'apply_patch', arguments: JSON.stringify({ input: PATCH }) };

test('the function call is returned as a custom call with plain text', () => {
  const exchange = getOutboundFormat('chat').openExchange(decode(ASKED), TARGET);
  const message = { role: 'assistant', tool_calls: [{ id: 'c1', type: 'function', function: ANSWERED }] };
  const result = exchange.decodeResult({
    id: 'x',
    choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
  });
  assert.ok(!isFailure(result));
  assert.deepEqual(result.blocks, [
    { type: 'tool-call', id: 'c1', name: 'apply_patch', input: { json: PATCH }, custom: true },
  ]);
});

test('in a stream the arguments are read once they are whole, however they are cut', () => {
  for (let cut = 0; cut <= ANSWERED.arguments.length; cut += 1) {
    const decoder = getOutboundFormat('chat').openExchange(decode(ASKED), TARGET).createStreamDecoder();
    const events: GenerationEvent[] = [];
    const push = (delta: JsonObject, finish: string | null = null): void => {
      const chunk = { id: 'x', choices: [{ index: 0, delta, finish_reason: finish }] };
      events.push(...decoder.push({ data: JSON.stringify(chunk) }));
    };
    const call = { index: 0, id: 'c1', type: 'function' };
    push({
      tool_calls: [
        { ...call, function: { name: 'apply_patch', arguments: ANSWERED.arguments.slice(0, cut) } },
      ],
    });
    push({ tool_calls: [{ index: 0, function: { arguments: ANSWERED.arguments.slice(cut) } }] });
    push({}, 'tool_calls');
    events.push(...decoder.push({ data: '[DONE]' }), ...decoder.close());
    const [block] = collect(events).blocks;
    assert.deepEqual(block, {
      type: 'tool-call',
      id: 'c1',
      name: 'apply_patch',
      input: { json: PATCH },
      custom: true,
    });
  }
});

test('other calls and texts of an answer with custom tools are passed on as they come', () => {
  const exchange = getOutboundFormat('chat').openExchange(decode(ASKED), TARGET);
  const plain = { name: 'plain', arguments: '{"input":"x"}' };
  const calls = [ANSWERED, plain].map((called, index) => ({
    index,
    id: `c${index}`,
    type: 'function',
    function: called,
  }));
  const choices = [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hi', tool_calls: calls },
      finish_reason: 'tool_calls',
    },
  ];
  const expected = [
    { type: 'text', text: 'Hi' },
    { type: 'tool-call', id: 'c0', name: 'apply_patch', input: { json: PATCH }, custom: true },
    { type: 'tool-call', id: 'c1', name: 'plain', input: { json: plain.arguments } },
  ];
  const whole = exchange.decodeResult({ id: 'x', choices });
  assert.ok(!isFailure(whole));
  assert.deepEqual(whole.blocks, expected);

  const decoder = exchange.createStreamDecoder();
  const push = (delta: JsonObject, finish: string | null = null): GenerationEvent[] =>
    decoder.push({
      data: JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: finish }] }),
    });
  const [, ...texts] = push({ content: 'Hi' });
  assert.deepEqual(
    texts.map(({ type }) => type),
    ['block-start', 'block-delta'],
    'nothing is held before a custom call',
  );
  const events = calls.flatMap((call) => push({ tool_calls: [call] }));
  const after = push({ tool_calls: [{ index: 1, function: { arguments: ' ' } }] });
  assert.deepEqual(
    after.map(({ type }) => type),
    ['block-delta'],
    'nor after it',
  );
  assert.ok(events.some(({ type }) => type === 'block-end'));
  const { blocks } = collect([
    { type: 'generation-start', id: 'x', model: 'm' },
    ...texts,
    ...events,
    ...push({}, 'tool_calls'),
    ...decoder.close(),
  ]);
  assert.deepEqual(blocks, expected);
});

test('a tool without a description stays without one, and keeps its cache mark', () => {
  const tools = [{ type: 'custom', custom: { name: 'free' }, cache_control: { type: 'ephemeral' } }];
  const request = getInboundFormat('chat').decodeRequest({ model: 'm', messages: ASKED, tools }, {});
  const marked: Target = { ...TARGET, dialect: { ...CHAT_DIALECT, cacheMarks: 'cache_control' } };
  const { body } = getOutboundFormat('chat').openExchange(request, marked);
  const [tool] = body['tools'] as JsonObject[];
  assert.deepEqual(tool?.['cache_control'], { type: 'ephemeral' });
  const { description, parameters } = tool['function'] as JsonObject;
  assert.equal(description, undefined);
  assert.equal(JSON.stringify(parameters).includes('grammar'), false);
  const unmarked = getInboundFormat('chat').decodeRequest(
    { model: 'm', messages: ASKED, tools: [{ type: 'custom', custom: { name: 'free' } }] },
    {},
  );
  const [plain] = getOutboundFormat('chat').openExchange(unmarked, marked).body['tools'] as JsonObject[];
  assert.equal(plain && 'cache_control' in plain, false);
});
