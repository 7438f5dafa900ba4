import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { Block, CanonicalRequest, Dialect, ReasoningOptions, Target, Turn } from '#canonical';
import {
  createChatRequest,
  createMessagesTarget,
  encodeFor,
} from '../../../../test/support/messages-exchange.ts';
import { messagesOutbound } from '../index.ts';
import { isFailure } from '../../contract.ts';

function build(
  request: Partial<CanonicalRequest>,
  dialect: Partial<Dialect> = {},
  facts: Partial<Target> = {},
): JsonObject {
  return encodeFor(createChatRequest(request), createMessagesTarget(dialect, facts));
}

const text = (value: string): Block => ({ type: 'text', text: value });
const user: Turn = { role: 'user', blocks: [text('Hi')] };

test('a simple request is minimal, with the output limit that Anthropic requires', () => {
  assert.deepEqual(build({}), {
    model: 'claude-x-20260101',
    max_tokens: 4096,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello.' }] }],
  });
  assert.equal(build({}, {}, { maxOutput: 64_000 })['max_tokens'], 64_000);
  assert.equal(build({ maxOutputTokens: 100_000 }, {}, { maxOutput: 64_000 })['max_tokens'], 64_000);
  assert.equal(build({ maxOutputTokens: 7 }, {}, { maxOutput: 64_000 })['max_tokens'], 7);
});

test('instructions are system blocks with their cache marks; media and documents are sent completely', () => {
  const body = build({
    system: [{ ...text('Be kind.'), cache: { ttl: '12h' } }],
    turns: [
      {
        role: 'user',
        blocks: [
          { type: 'media', kind: 'image', mediaType: 'image/png', source: { base64: 'AA' } },
          { type: 'media', kind: 'image', source: { url: 'https://x.test/a.png' } },
          {
            type: 'media',
            kind: 'document',
            mediaType: 'application/pdf',
            source: { base64: 'BB' },
            title: 'a.pdf',
          },
        ],
      },
    ],
  });
  assert.deepEqual(body['system'], [
    { type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral', ttl: '1h' } },
  ]);
  assert.deepEqual(body['messages'], [
    {
      role: 'user',
      content: [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } },
        { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'BB' },
          title: 'a.pdf',
        },
      ],
    },
  ]);
});

const UNSUPPORTED: [name: string, request: Partial<CanonicalRequest>, dialect: Partial<Dialect>][] = [
  [
    'audio',
    { turns: [{ role: 'user', blocks: [{ type: 'media', kind: 'audio', source: { base64: 'A' } }] }] },
    {},
  ],
  [
    'a foreign file',
    {
      turns: [
        {
          role: 'user',
          blocks: [{ type: 'media', kind: 'document', source: { fileId: 'f', format: 'chat' } }],
        },
      ],
    },
    {},
  ],
  [
    'an image a model cannot see',
    { turns: [{ role: 'user', blocks: [{ type: 'media', kind: 'image', source: { base64: 'A' } }] }] },
    { media: { image: false, imageUrl: false, document: false, audio: false } },
  ],
  ['a custom tool', { tools: [{ type: 'native', format: 'chat', name: 'grammar', value: {} }] }, {}],
];
for (const [name, request, dialect] of UNSUPPORTED) {
  test(`${name} is refused as unsupported, not dropped`, () => {
    assert.throws(() => build(request, dialect), { code: 'unsupported_feature' });
  });
}

test('[D-40] tools carry a complete object schema, strictness and marks', () => {
  const body = build({
    tools: [
      { type: 'function', name: 'bare' },
      {
        type: 'function',
        name: 'full',
        description: 'Full.',
        strict: true,
        inputSchema: { type: 'object', properties: { a: { type: 'string', minLength: 2 } } },
        cache: {},
      },
    ],
  });
  assert.deepEqual(body['tools'], [
    { name: 'bare', input_schema: { type: 'object', properties: {} } },
    {
      name: 'full',
      input_schema: {
        type: 'object',
        properties: { a: { type: 'string', description: '(minLength: 2)' } },
        additionalProperties: false,
      },
      description: 'Full.',
      strict: true,
      cache_control: { type: 'ephemeral' },
    },
  ]);
});

test('[D-22] a name the upstream does not accept is shortened, equally everywhere, and restored in the answer', () => {
  const long = `mcp__plugin__${'x'.repeat(80)}`;
  const target = createMessagesTarget({ maxToolName: 64 });
  const request = createChatRequest({
    tools: [
      { type: 'function', name: `${long}1` },
      { type: 'function', name: `${long}2` },
    ],
    toolChoice: { type: 'tool', name: `${long}2` },
  });
  const exchange = messagesOutbound.openExchange(request, target);
  const [first, second] = (exchange.body['tools'] as JsonObject[]).map((tool) => tool['name'] as string);
  assert.ok(first !== undefined && second !== undefined && first !== second);
  assert.ok(first.length <= 64 && /^[a-zA-Z0-9_-]+$/.test(first));
  assert.deepEqual(exchange.body['tool_choice'], { type: 'tool', name: second });
  const result = exchange.decodeResult({ content: [{ type: 'tool_use', id: 'a', name: second, input: {} }] });
  assert.ok(!isFailure(result));
  assert.equal(result.blocks[0]?.type === 'tool-call' && result.blocks[0].name, `${long}2`);
});

test('tool_choice has Anthropic’s form and is sent only with tools', () => {
  const tools = [{ type: 'function', name: 'f' } as const];
  const choose = (request: Partial<CanonicalRequest>) => build({ tools, ...request })['tool_choice'];
  assert.deepEqual(choose({ toolChoice: { type: 'any' } }), { type: 'any' });
  assert.deepEqual(choose({ parallelToolCalls: false }), { type: 'auto', disable_parallel_tool_use: true });
  assert.deepEqual(choose({ toolChoice: { type: 'none' }, parallelToolCalls: false }), { type: 'none' });
  assert.equal(choose({}), undefined);
  assert.equal(build({ toolChoice: { type: 'any' } })['tool_choice'], undefined);
  const thinking: ReasoningOptions = { effort: 'high' };
  assert.deepEqual(choose({ toolChoice: { type: 'any' }, reasoning: thinking, maxOutputTokens: 32_000 }), {
    type: 'auto',
  });
});

test("Chat's allowed_tools offers only these", () => {
  const value = {
    type: 'allowed_tools',
    allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'b' } }] },
  };
  const tools = [{ type: 'function', name: 'a' } as const, { type: 'function', name: 'b' } as const];
  const body = build({ tools, toolChoice: { type: 'native', format: 'chat', value } });
  assert.deepEqual(
    (body['tools'] as JsonObject[]).map((tool) => tool['name']),
    ['b'],
  );
  assert.deepEqual(body['tool_choice'], { type: 'any' });
});

test('temperature is clamped, not sent with top_p, and removed if the model refuses sampling or thinks', () => {
  const sampling = { temperature: 1.7, topP: 0.5, topK: 3 };
  assert.deepEqual(
    [build({ sampling })['temperature'], build({ sampling })['top_p'], build({ sampling })['top_k']],
    [1, undefined, 3],
  );
  const warmths = [-1, 0.3].map((temperature) => build({ sampling: { temperature } })['temperature']);
  assert.deepEqual(warmths, [0, 0.3]);
  assert.equal(build({ sampling: { topP: 0.5 } })['top_p'], 0.5);
  for (const body of [
    build({ sampling }, { sampling: 'none' }),
    build({ sampling, reasoning: { effort: 'low' }, maxOutputTokens: 8000 }),
  ]) {
    assert.deepEqual([body['temperature'], body['top_p'], body['top_k']], [undefined, undefined, undefined]);
  }
});

test('[D-35] stop sequences are a list without blank ones', () => {
  assert.deepEqual(build({ stopSequences: ['END', '\n', ' '] })['stop_sequences'], ['END']);
  assert.equal(build({ stopSequences: ['END'] }, { maxStopSequences: 0 })['stop_sequences'], undefined);
});

test('output schemas become a format, or a prompt if the upstream has none', () => {
  const schema = { type: 'object', properties: {} };
  const output = { type: 'json-schema', name: 'x', schema } as const;
  assert.deepEqual(build({ output })['output_config'], {
    format: { type: 'json_schema', schema: { ...schema, additionalProperties: false } },
  });
  const inWords = JSON.stringify(build({ output }, { structuredOutput: 'none' })['system']);
  assert.match(inWords, /JSON Schema/);
  assert.match(JSON.stringify(build({ output: { type: 'json' } })['system']), /JSON object/);
});

const adaptive: Partial<Dialect> = {
  thinkingModes: ['adaptive', 'budget', 'disabled'],
  efforts: ['low', 'medium', 'high', 'max'],
};
const WISHES: [name: string, requested: ReasoningOptions, dialect: Partial<Dialect>, expected: JsonObject][] =
  [
    ['[D-36] none is said as disabled', { effort: 'none' }, {}, { thinking: { type: 'disabled' } }],
    [
      'effort becomes a budget',
      { effort: 'low' },
      {},
      { thinking: { type: 'enabled', budget_tokens: 2048 } },
    ],
    [
      'a budget leaves room for the answer',
      { effort: 'max' },
      {},
      { thinking: { type: 'enabled', budget_tokens: 12_000 } },
    ],
    [
      '[D-38] a budget is at least 1024',
      { mode: 'budget', budgetTokens: 500 },
      {},
      { thinking: { type: 'enabled', budget_tokens: 1024 } },
    ],
    [
      'effort on an adaptive model',
      { effort: 'xhigh' },
      adaptive,
      { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
    ],
    [
      'a budget on a model that only adapts',
      { mode: 'budget', budgetTokens: 5000 },
      { ...adaptive, thinkingModes: ['adaptive'] },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } },
    ],
    ['nothing where the field is refused', { effort: 'high' }, { reasoningField: 'none' }, {}],
  ];
for (const [name, reasoning, dialect, expected] of WISHES) {
  test(`reasoning: ${name}`, () => {
    const { thinking, output_config: config } = build({ reasoning, maxOutputTokens: 16_000 }, dialect);
    assert.deepEqual(
      { ...(thinking !== undefined && { thinking }), ...(config !== undefined && { output_config: config }) },
      expected,
    );
  });
}

test('no budget fits into a small output limit, and none is sent to a model that does not reason', () => {
  assert.equal(build({ reasoning: { effort: 'high' }, maxOutputTokens: 1024 })['thinking'], undefined);
  assert.equal(build({ reasoning: { effort: 'high' } }, {}, { reasoning: false })['thinking'], undefined);
});

test('[D-41] a tool turn without thinking is not continued with a manual budget', () => {
  const turns: Turn[] = [
    user,
    { role: 'assistant', blocks: [{ type: 'tool-call', id: 'a', name: 'f', input: { json: '{}' } }] },
    { role: 'user', blocks: [{ type: 'tool-result', callId: 'a', blocks: [text('1')], isError: false }] },
  ];
  const reasoning: ReasoningOptions = { effort: 'high' };
  const tools = [{ type: 'function', name: 'f' } as const];
  const body = build({
    turns,
    reasoning,
    tools,
    maxOutputTokens: 32_000,
    toolChoice: { type: 'any' },
    sampling: { temperature: 0.3 },
  });
  assert.equal(body['thinking'], undefined);
  assert.deepEqual([body['tool_choice'], body['temperature']], [{ type: 'any' }, 0.3], 'as without thinking');
  assert.deepEqual(build({ turns, reasoning, tools }, adaptive)['thinking'], { type: 'adaptive' });
});

test('[D-76] at most four cache marks are sent, and no hour after five minutes', () => {
  const marked = (ttl?: '1h'): Block => ({ ...text('x'), cache: ttl ? { ttl } : {} });
  const body = build({
    system: [marked('1h'), marked('1h'), marked('1h')],
    turns: [{ role: 'user', blocks: [marked(), marked('1h')] }],
  });
  const marks = JSON.stringify(body).match(/"cache_control":\{[^}]*\}/g);
  assert.deepEqual(marks, [
    '"cache_control":{"type":"ephemeral","ttl":"1h"}',
    '"cache_control":{"type":"ephemeral","ttl":"1h"}',
    '"cache_control":{"type":"ephemeral"}',
    '"cache_control":{"type":"ephemeral"}',
  ]);
});

test('the end user and the service tier have Anthropic’s form', () => {
  const body = build({ endUser: 'u1', serviceTier: 'default', stream: true });
  assert.deepEqual(
    [body['metadata'], body['service_tier'], body['stream']],
    [{ user_id: 'u1' }, 'standard_only', true],
  );
  assert.equal(build({ serviceTier: 'flex' })['service_tier'], undefined);
});
