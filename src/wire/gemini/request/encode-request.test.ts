import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { CanonicalRequest, Dialect, ReasoningOptions, Tool, ToolChoice } from '#canonical';
import { openGemini } from '../../../../test/support/gemini-exchange.ts';

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false };
const TOOLS: Tool[] = [
  { type: 'function', name: 'get_weather', description: 'Weather.', inputSchema: SCHEMA, strict: true },
  { type: 'function', name: 'now', inputSchema: { type: 'object', properties: {} } },
];
const encode = (fields: Partial<CanonicalRequest>, dialect: Partial<Dialect> = {}): JsonObject =>
  openGemini(fields, dialect).body;
const configOf = (fields: Partial<CanonicalRequest>, dialect: Partial<Dialect> = {}): unknown =>
  encode(fields, dialect)['generationConfig'];

test('the address names the model and whether the answer streams', () => {
  const rest = { externalId: 'gemini 3/pro' };
  assert.equal(openGemini({}, {}, rest).path, '/models/gemini%203%2Fpro:generateContent');
  assert.equal(openGemini({ stream: true }).path, '/models/gemini-3-pro:streamGenerateContent?alt=sse');
});

test('[D-49] instructions keep their order; Claude Code’s fingerprint does not go to Google', () => {
  const system = ['x-anthropic-billing-header: cc_version=1; cch=2', 'Be kind.', '', 'Be brief.'];
  assert.deepEqual(encode({ system: system.map((text) => ({ type: 'text', text })) })['systemInstruction'], {
    parts: [{ text: 'Be kind.' }, { text: 'Be brief.' }],
  });
});

test('all functions are one list, with schemas Gemini reads and nothing for no parameters', () => {
  assert.deepEqual(encode({ tools: TOOLS })['tools'], [
    {
      functionDeclarations: [
        {
          name: 'get_weather',
          description: 'Weather.',
          parameters: { type: 'object', properties: { city: { type: 'string' } } },
        },
        { name: 'now' },
      ],
    },
  ]);
});

test('[D-70] [D-22] names that Gemini refuses are replaced by distinct ones, and restored in the answer', () => {
  const long = 'mcp__'.padEnd(90, 'x');
  const names = ['7 days', `${long}a`, `${long}b`, 'ok.name:1-x'];
  const exchange = openGemini({ tools: names.map((name) => ({ type: 'function', name })) });
  const [{ functionDeclarations }] = exchange.body['tools'] as [{ functionDeclarations: { name: string }[] }];
  const sent = functionDeclarations.map(({ name }) => name);
  assert.equal(new Set(sent).size, names.length);
  for (const name of sent) assert.match(name, /^[A-Za-z_][\w.:-]{0,63}$/);
  assert.equal(sent[3], 'ok.name:1-x');
  const parts = sent.map((name) => ({ functionCall: { name } }));
  const answer = exchange.decodeResult({ candidates: [{ content: { parts }, finishReason: 'STOP' }] });
  assert.ok('blocks' in answer);
  assert.deepEqual(
    answer.blocks.map((block) => (block.type === 'tool-call' ? block.name : '')),
    names,
  );
});

test('Anthropic’s client tools become functions; its search becomes Google’s if there are no functions', () => {
  const native = (type: string): Tool => ({ type: 'native', format: 'messages', value: { type } });
  assert.deepEqual(encode({ tools: [native('web_search_20250305')] })['tools'], [{ googleSearch: {} }]);
  const [{ functionDeclarations }, ...others] = encode({
    tools: [native('bash_20250124'), native('web_search_20250305')],
  })['tools'] as [{ functionDeclarations: { name: string }[] }];
  assert.deepEqual(
    functionDeclarations.map(({ name }) => name),
    ['bash'],
  );
  assert.deepEqual(others, []);
  assert.throws(() => encode({ tools: [native('computer_20250124')] }), /computer_20250124/);
});

test('the tool choice is sent as Google’s modes', () => {
  const calling = (toolChoice: ToolChoice): unknown =>
    (encode({ tools: TOOLS, toolChoice })['toolConfig'] as JsonObject | undefined)?.['functionCallingConfig'];
  assert.deepEqual(calling({ type: 'auto' }), { mode: 'AUTO' });
  assert.deepEqual(calling({ type: 'any' }), { mode: 'ANY' });
  assert.deepEqual(calling({ type: 'none' }), { mode: 'NONE' });
  assert.deepEqual(calling({ type: 'tool', name: 'now' }), { mode: 'ANY', allowedFunctionNames: ['now'] });
  assert.deepEqual(calling({ type: 'tool', name: 'gone' }), { mode: 'AUTO' });
  const tools = [{ type: 'function', function: { name: 'now' } }];
  const value = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools } };
  assert.deepEqual(calling({ type: 'native', format: 'chat', value }), {
    mode: 'VALIDATED',
    allowedFunctionNames: ['now'],
  });
  assert.equal(encode({ toolChoice: { type: 'any' } })['toolConfig'], undefined);
});

test('limits and sampling are clamped to what the dialect supports', () => {
  const fields = {
    maxOutputTokens: 0,
    stopSequences: ['1', '', '2', '3', '4', '5', '6'],
    sampling: { temperature: 2, topP: 0.5, topK: 7, frequencyPenalty: 1, presencePenalty: 1, seed: 3 },
  };
  assert.deepEqual(configOf(fields, { maxTemperature: 1 }), {
    maxOutputTokens: 1,
    stopSequences: ['1', '2', '3', '4', '5'],
    temperature: 1,
    topP: 0.5,
    topK: 7,
    seed: 3,
  });
  const { body } = openGemini({ maxOutputTokens: 100_000 }, {}, { maxOutput: 65_536 });
  assert.deepEqual(body['generationConfig'], { maxOutputTokens: 65_536 });
});

test('structured output is a schema, a media type, or a prompt', () => {
  const output = { type: 'json-schema', name: 'o', schema: SCHEMA } as const;
  assert.deepEqual(configOf({ output }), {
    responseMimeType: 'application/json',
    responseJsonSchema: SCHEMA,
  });
  assert.deepEqual(configOf({ output: { type: 'json' } }), { responseMimeType: 'application/json' });
  const body = encode({ output }, { structuredOutput: 'json' });
  assert.deepEqual(body['generationConfig'], { responseMimeType: 'application/json' });
  assert.match(JSON.stringify(body['systemInstruction']), /JSON Schema/);
});

test('[D-36] requested reasoning becomes a level or a budget, and thoughts are returned unless the caller hides them', () => {
  const thinking = (reasoning: ReasoningOptions, dialect: Partial<Dialect> = {}): unknown =>
    (configOf({ reasoning }, dialect) as JsonObject | undefined)?.['thinkingConfig'];
  const level = { efforts: ['low', 'high'] } satisfies Partial<Dialect>;
  assert.deepEqual(thinking({ effort: 'medium' }, level), { thinkingLevel: 'HIGH', includeThoughts: true });
  assert.deepEqual(thinking({ mode: 'off' }, level), { thinkingLevel: 'LOW' });
  assert.deepEqual(thinking({ mode: 'off' }), { thinkingLevel: 'MINIMAL' });
  assert.deepEqual(thinking({ mode: 'adaptive' }), { includeThoughts: true });
  assert.equal(configOf({ reasoning: { display: 'omitted' } }), undefined);
  assert.deepEqual(thinking({ mode: 'budget', budgetTokens: 2000, display: 'omitted' }), {
    thinkingLevel: 'LOW',
  });
  const budget = {
    reasoningField: 'thinkingBudget',
    efforts: ['none', 'low', 'medium', 'high'],
  } satisfies Partial<Dialect>;
  assert.deepEqual(thinking({ mode: 'budget', budgetTokens: 50_000 }, budget), {
    thinkingBudget: 24_576,
    includeThoughts: true,
  });
  assert.deepEqual(thinking({ mode: 'budget', budgetTokens: 5 }, budget), {
    thinkingBudget: 128,
    includeThoughts: true,
  });
  assert.deepEqual(thinking({ effort: 'medium' }, budget), { thinkingBudget: 8192, includeThoughts: true });
  assert.deepEqual(thinking({ mode: 'adaptive' }, budget), { thinkingBudget: -1, includeThoughts: true });
  assert.deepEqual(thinking({ mode: 'off' }, budget), { thinkingBudget: 0 });
  assert.deepEqual(thinking({ mode: 'off' }, { ...budget, efforts: ['low'] }), { thinkingBudget: 128 });
  assert.equal(thinking({ effort: 'high' }, { reasoningField: 'none' }), undefined);
});

test('a service tier is sent by Gemini’s name for it', () => {
  assert.equal(
    encode({ serviceTier: 'fast', origin: { format: 'chat', body: {} } })['serviceTier'],
    'priority',
  );
  assert.equal('serviceTier' in encode({}), false);
});
