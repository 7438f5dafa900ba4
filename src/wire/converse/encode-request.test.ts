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
} from '../../../test/support/converse-exchange.ts';

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
