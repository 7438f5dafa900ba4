import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { CanonicalRequest, Dialect, Tool } from '#canonical';
import {
  SCHEMA,
  WEATHER,
  createCall as call,
  createResult as result,
  createText as text,
  encodeConverse as encode,
  messagesOf,
  openConverse as open,
} from '../../../../test/support/converse-exchange.ts';

test('the path has the encoded model id and whether the answer streams', () => {
  assert.equal(open().path, '/model/amazon.nova-pro-v1%3A0/converse');
  assert.equal(open({ stream: true }).path, '/model/amazon.nova-pro-v1%3A0/converse-stream');
  assert.equal('model' in open().body || 'stream' in open().body, false);
});

test('limits and sampling are in inferenceConfig', () => {
  const body = encode({
    maxOutputTokens: 100_000,
    sampling: { temperature: 1.7, topP: 0.5, topK: 3, seed: 1 },
    stopSequences: ['a', ' ', 'b', 'c', 'd', 'e'],
  });
  assert.deepEqual(encode({ maxOutputTokens: 0 })['inferenceConfig'], { maxTokens: 1 });
  assert.deepEqual(body['inferenceConfig'], {
    maxTokens: 4096,
    temperature: 1,
    topP: 0.5,
    stopSequences: ['a', 'b', 'c', 'd'],
  });
  assert.equal('additionalModelRequestFields' in body, false);
  assert.deepEqual(encode({ sampling: { topK: 3 } }, { topK: true })['additionalModelRequestFields'], {
    top_k: 3,
  });
});

test('a model that thinks is sent no sampling parameters', () => {
  const body = encode(
    { sampling: { temperature: 1, topP: 0.5, topK: 3 }, reasoning: { effort: 'high' } },
    { topK: true, reasoningField: 'thinking', thinkingModes: ['adaptive'] },
  );
  assert.equal('inferenceConfig' in body, false);
  assert.deepEqual(Object.keys(body['additionalModelRequestFields'] as JsonObject), ['thinking']);
});

test('[D-82] if a later turn offers no tools, they are declared from the history, with an instruction not to call them', () => {
  const turns: CanonicalRequest['turns'] = [
    { role: 'user', blocks: [text('Go.')] },
    { role: 'assistant', blocks: [call('c1'), call('c2', 'x'.repeat(70))] },
    { role: 'user', blocks: [result('c1'), result('c2')] },
  ];
  const body = encode({ turns });
  const tools = (body['toolConfig'] as { tools: { toolSpec: { name: string } }[] }).tools;
  const names = tools.map(({ toolSpec }) => toolSpec.name);
  assert.equal(names[0], 'weather');
  assert.equal(names[1]?.length, 64);
  assert.match(JSON.stringify(body['system']), /Do not call any tool/);
  const called = (messagesOf(body)[1]?.content[1] as { toolUse: JsonObject }).toolUse;
  assert.equal(called['name'], names[1]);
});

test('tools that a later turn offers are sent as they are, whatever the history called', () => {
  const turns: CanonicalRequest['turns'] = [
    { role: 'user', blocks: [text('Go.')] },
    { role: 'assistant', blocks: [call('c1', 'other')] },
    { role: 'user', blocks: [result('c1')] },
  ];
  const body = encode({ turns, tools: [WEATHER] });
  assert.deepEqual(body['toolConfig'], encode({ tools: [WEATHER] })['toolConfig']);
  assert.equal('system' in body, false);
});

test('a tool choice of none omits the tools, or forbids them in the prompt if the history needs them', () => {
  const plain = encode({ tools: [WEATHER], toolChoice: { type: 'none' } });
  assert.equal('toolConfig' in plain, false);
  const body = encode({
    tools: [WEATHER],
    toolChoice: { type: 'none' },
    turns: [
      { role: 'user', blocks: [text('Go.')] },
      { role: 'assistant', blocks: [call('c1')] },
      { role: 'user', blocks: [result('c1')] },
    ],
  });
  assert.deepEqual((body['toolConfig'] as JsonObject)['toolChoice'], { auto: {} });
  assert.match(JSON.stringify(body['system']), /Do not call any tool/);
});

test('tools and choices have Converse’s form', () => {
  const config = (changes: Partial<CanonicalRequest>, dialect: Partial<Dialect> = {}) =>
    encode({ tools: [WEATHER], ...changes }, dialect)['toolConfig'];
  const spec = { name: 'weather', description: 'Tells it.', inputSchema: { json: SCHEMA } };
  assert.deepEqual(config({}), { tools: [{ toolSpec: spec }] });
  assert.deepEqual(config({ toolChoice: { type: 'any' } }), {
    tools: [{ toolSpec: spec }],
    toolChoice: { any: {} },
  });
  assert.deepEqual(config({ toolChoice: { type: 'tool', name: 'weather' } }), {
    tools: [{ toolSpec: spec }],
    toolChoice: { tool: { name: 'weather' } },
  });
  assert.deepEqual(config({ toolChoice: { type: 'any' } }, { forcedToolChoice: false }), {
    tools: [{ toolSpec: spec }],
    toolChoice: { auto: {} },
  });
  assert.deepEqual(config({ tools: [{ type: 'function', name: 'bare', description: ' ' }] }), {
    tools: [{ toolSpec: { name: 'bare', inputSchema: { json: { type: 'object', properties: {} } } } }],
  });
  const withStrict = (strict: boolean): Tool => ({
    type: 'function',
    name: 'weather',
    description: 'Tells it.',
    inputSchema: SCHEMA,
    strict,
  });
  const [strict, lax] = [withStrict(true), withStrict(false)];
  const strictTools = { strictTools: true };
  assert.deepEqual(config({ tools: [strict] }, strictTools), {
    tools: [{ toolSpec: { ...spec, strict: true } }],
  });
  for (const [tool, dialect] of [
    [strict, { strictTools: false }],
    [lax, strictTools],
  ] as const)
    assert.deepEqual(config({ tools: [tool] }, dialect), { tools: [{ toolSpec: spec }] });
});

test('a tool of Converse’s own is sent as it is, and parameters are always an object', () => {
  const toolsOf = (tool: Tool) => (encode({ tools: [tool] })['toolConfig'] as { tools: JsonObject[] }).tools;
  const value = { systemTool: { name: 'nova_grounding' } };
  assert.deepEqual(toolsOf({ type: 'native', format: 'converse', value }), [value]);
  const inputSchema = { properties: { a: { type: 'string' } } };
  assert.deepEqual(toolsOf({ type: 'function', name: 'f', inputSchema }), [
    { toolSpec: { name: 'f', inputSchema: { json: { ...inputSchema, type: 'object' } } } },
  ]);
});

test('a cache point follows a marked tool if the model has cache points', () => {
  const tools: Tool[] = [{ ...WEATHER, cache: {} }, WEATHER];
  const kindsOf = (cacheMarks: Dialect['cacheMarks']) => {
    const config = encode({ tools }, { cacheMarks })['toolConfig'] as { tools: JsonObject[] };
    return config.tools.flatMap((entry) => Object.keys(entry));
  };
  assert.deepEqual(kindsOf('cachePoint'), ['toolSpec', 'cachePoint', 'toolSpec']);
  assert.deepEqual(kindsOf('none'), ['toolSpec', 'toolSpec']);
});

test('a tool choice of Converse’s own is sent as it is, one of another format is refused', () => {
  const send = (format: 'converse' | 'chat') =>
    encode({ tools: [WEATHER], toolChoice: { type: 'native', format, value: { any: {} } } })['toolConfig'];
  assert.deepEqual((send('converse') as JsonObject)['toolChoice'], { any: {} });
  assert.throws(() => send('chat'), /tool_choice/);
});

test('nothing is sent that is empty', () => {
  assert.deepEqual(Object.keys(encode({ stopSequences: [' '] })), ['messages']);
  assert.deepEqual(encode({ stopSequences: ['a'] })['inferenceConfig'], { stopSequences: ['a'] });
});

test('a custom tool is offered as a function, a tool of a server is left out, one of a client is refused by name', () => {
  const custom = encode({ tools: [{ type: 'custom', name: 'patch' }] });
  assert.match(JSON.stringify(custom['toolConfig']), /"name":"patch"/);
  const native = (type: string): Tool => ({ type: 'native', format: 'messages', value: { type } });
  assert.equal(
    'toolConfig' in encode({ tools: [native('web_search_20260209'), native('tool_search_tool_bm25')] }),
    false,
  );
  assert.match(JSON.stringify(encode({ tools: [native('bash_20250124')] })['toolConfig']), /"name":"bash"/);
  assert.throws(() => encode({ tools: [native('computer_20250124')] }), /computer_20250124/);
  const foreign: Tool = { type: 'native', format: 'gemini', value: { codeExecution: {} } };
  assert.throws(() => encode({ tools: [foreign] }), /the tool without a name/);
});

test('[D-36] enabled or disabled thinking is set in the fields of the model', () => {
  const fields = (reasoning: CanonicalRequest['reasoning'], dialect: Partial<Dialect>) =>
    encode({ reasoning: reasoning ?? {}, maxOutputTokens: 4000 }, dialect)['additionalModelRequestFields'];
  const nova: Partial<Dialect> = { reasoningField: 'reasoningConfig', efforts: ['low', 'medium'] };
  assert.deepEqual(fields({ effort: 'max' }, nova), {
    reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' },
  });
  assert.deepEqual(fields({ mode: 'off' }, nova), { reasoningConfig: { type: 'disabled' } });
  const gpt: Partial<Dialect> = { reasoningField: 'reasoning_effort', efforts: ['low', 'medium', 'high'] };
  assert.deepEqual(fields({ mode: 'budget', budgetTokens: 5000 }, gpt), { reasoning_effort: 'medium' });
  const claude: Partial<Dialect> = { reasoningField: 'thinking', thinkingModes: ['budget', 'disabled'] };
  assert.deepEqual(fields({ mode: 'budget', budgetTokens: 500 }, claude), {
    thinking: { type: 'enabled', budget_tokens: 1024 },
  });
  assert.deepEqual(fields({ mode: 'off' }, claude), { thinking: { type: 'disabled' } });
  assert.equal(fields({ effort: 'high' }, {}), undefined);
  assert.equal(fields({ effort: 'high' }, { reasoningField: 'none', efforts: ['high'] }), undefined);
});

test('[D-36] Claude thinks adaptively where it can, unless a budget is asked for that it takes', () => {
  const dialect: Partial<Dialect> = { reasoningField: 'thinking', efforts: ['high'] };
  const adaptive = { output_config: { effort: 'high' }, thinking: { type: 'adaptive' } };
  const budget = (tokens: number) => ({
    output_config: { effort: 'high' },
    thinking: { type: 'enabled', budget_tokens: tokens },
  });
  const cases: [CanonicalRequest['reasoning'], Dialect['thinkingModes'], JsonObject][] = [
    [{ effort: 'high' }, ['adaptive'], adaptive],
    [{ effort: 'high' }, ['adaptive', 'budget'], adaptive],
    [{ mode: 'budget', budgetTokens: 3000 }, ['adaptive'], adaptive],
    [{ mode: 'budget', budgetTokens: 3000 }, ['adaptive', 'budget'], budget(3000)],
    [{ effort: 'high' }, ['budget'], budget(16_384)],
    [{ effort: 'high' }, [], { output_config: { effort: 'high' } }],
  ];
  for (const [reasoning, thinkingModes, expected] of cases) {
    const body = encode({ reasoning: reasoning ?? {} }, { ...dialect, thinkingModes });
    assert.deepEqual(body['additionalModelRequestFields'], expected);
  }
});

test('a budget of thinking stays below the output limit, and there is none where the least does not fit', () => {
  const dialect: Partial<Dialect> = { reasoningField: 'thinking', thinkingModes: ['budget'] };
  const fields = (maxOutputTokens: number) =>
    encode({ reasoning: { effort: 'high' }, maxOutputTokens }, dialect)['additionalModelRequestFields'];
  assert.deepEqual(fields(4000), { thinking: { type: 'enabled', budget_tokens: 3999 } });
  assert.deepEqual(fields(1025), { thinking: { type: 'enabled', budget_tokens: 1024 } });
  assert.equal(fields(1024), undefined);
});

test('while Claude thinks, it gets no sampling, and no tool is forced', () => {
  const asked: Partial<CanonicalRequest> = {
    sampling: { temperature: 0.5, topP: 0.5 },
    tools: [WEATHER],
    toolChoice: { type: 'any' },
  };
  const chosen = (body: JsonObject) => (body['toolConfig'] as JsonObject)['toolChoice'];
  const sampled = { temperature: 0.5, topP: 0.5 };
  const isThinking = (modes: Dialect['thinkingModes'], mode: 'budget' | 'off') => {
    const reasoning = mode === 'off' ? { mode } : { mode, budgetTokens: 2000 };
    const body = encode({ ...asked, reasoning }, { reasoningField: 'thinking', thinkingModes: modes });
    assert.deepEqual(body['inferenceConfig'] ?? sampled, sampled);
    assert.equal('inferenceConfig' in body, 'any' in (chosen(body) as JsonObject));
    return !('inferenceConfig' in body);
  };
  assert.equal(isThinking(['adaptive'], 'budget'), true);
  assert.equal(isThinking(['budget'], 'budget'), true);
  assert.equal(isThinking(['budget', 'disabled'], 'off'), false);
  assert.equal('inferenceConfig' in encode(asked, { sampling: 'none' }), false);
  const frozen = encode({ sampling: { temperature: -1 } });
  assert.deepEqual(frozen['inferenceConfig'], { temperature: 0 });
});

test('structured output is a field if the model has it, else an instruction', () => {
  const output = { type: 'json-schema', name: 'answer', schema: SCHEMA } as const;
  assert.deepEqual(encode({ output })['outputConfig'], {
    textFormat: {
      type: 'json_schema',
      structure: { jsonSchema: { schema: JSON.stringify(SCHEMA), name: 'answer' } },
    },
  });
  const given = encode({ output }, { structuredOutput: 'none' });
  assert.equal('outputConfig' in given, false);
  assert.match(JSON.stringify(given['system']), /JSON Schema/);
  assert.match(JSON.stringify(encode({ output: { type: 'json' } })['system']), /JSON object/);
});

test('[D-49] the attribution of Claude Code is not sent', () => {
  const system = [text('x-anthropic-billing-header: cc_version=2; cch=abc'), text('Be brief.')];
  assert.deepEqual(encode({ system })['system'], [{ text: 'Be brief.' }]);
});

test('cache points that the gateway sets are behind instructions, the conversation, and where it ended before', () => {
  const turns: CanonicalRequest['turns'] = [
    { role: 'user', blocks: [text('Go.')] },
    { role: 'assistant', blocks: [call('c1')] },
    { role: 'user', blocks: [result('c1')] },
  ];
  const request = { system: [text('Be kind.')], tools: [WEATHER], turns };
  const countPoints = (
    cacheMarks: Dialect['cacheMarks'],
    marks?: 'instructions' | 'conversation',
  ): number[] => {
    const body = encode(request, { cacheMarks }, marks);
    const parts = [body['system'], body['toolConfig'], ...messagesOf(body).map(({ content }) => content)];
    return parts.map((part) => JSON.stringify(part).split('"cachePoint"').length - 1);
  };
  assert.deepEqual(countPoints('cachePoint'), [0, 0, 0, 0, 0]);
  assert.deepEqual(countPoints('cachePoint', 'instructions'), [1, 0, 0, 0, 0]);
  assert.deepEqual(countPoints('cachePoint', 'conversation'), [1, 0, 1, 0, 1]);
  assert.deepEqual(countPoints('none', 'conversation'), [0, 0, 0, 0, 0]);
});
