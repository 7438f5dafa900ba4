import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catchRefusal } from '../../../../test/support/catch-refusal.ts';
import type { JsonObject, JsonValue } from '#base';
import type { GatewayError } from '#errors';
import { openClient } from '../../../../test/support/gemini-exchange.ts';
import { geminiInbound } from '../inbound.ts';

const decode = (fields: JsonObject) => openClient(fields).request;
const turnsOf = (...contents: JsonValue[]) => decode({ contents }).turns;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const sealed = base64('sluice.anthropic.sig');

test('the path has the model and whether to stream; a body without a path must have a model', () => {
  const { model, stream } = decode({ model: 'models/other' });
  assert.deepEqual([model, stream], ['client-model', true]);
  const contents = [{ parts: [{ text: 'x' }] }];
  const unrouted = geminiInbound.decodeRequest({ contents, model: 'models/own' }, {});
  assert.deepEqual([unrouted.model, unrouted.stream], ['own', false]);
  assert.throws(() => geminiInbound.decodeRequest({ contents }, {}), /model: expected a string/);
});

test('usage is always reported', () => assert.equal(decode({}).streamUsage, true));

test('both spellings of members are read: inlineData and inline_data', () => {
  const body = {
    model: 'm',
    system_instruction: { parts: [{ text: 'Be kind.' }] },
    contents: [{ role: 'user', parts: [{ inline_data: { mime_type: 'image/png', data: 'AA' } }] }],
    tools: [{ function_declarations: [{ name: 'f', parameters: { type: 'OBJECT' } }] }],
    tool_config: { function_calling_config: { mode: 'any', allowed_function_names: ['f'] } },
    generation_config: {
      max_output_tokens: 5,
      stop_sequences: ['x'],
      thinking_config: { thinking_budget: 0 },
    },
  };
  const request = geminiInbound.decodeRequest(body, {});
  assert.deepEqual(request.system, [{ type: 'text', text: 'Be kind.' }]);
  assert.deepEqual(request.turns[0]?.blocks, [
    { type: 'media', kind: 'image', mediaType: 'image/png', source: { base64: 'AA' } },
  ]);
  assert.deepEqual(request.tools, [{ type: 'function', name: 'f', inputSchema: { type: 'object' } }]);
  assert.deepEqual(request.toolChoice, { type: 'tool', name: 'f' });
  assert.deepEqual(request.stopSequences, ['x']);
  assert.equal(request.maxOutputTokens, 5);
});

test('instructions may be a content, parts or text', () => {
  const expected = [{ type: 'text', text: 'a' }];
  for (const systemInstruction of [
    'a',
    { parts: [{ text: 'a' }] },
    { role: 'system', parts: { text: 'a' } },
    [{ text: 'a' }],
    { text: 'a' },
  ])
    assert.deepEqual(decode({ systemInstruction }).system, expected);
});

test('model contents that an SDK keeps per chunk are joined to one turn with one text', () => {
  const turns = turnsOf(
    { role: 'user', parts: [{ text: 'go' }] },
    { role: 'model', parts: [{ text: 'Hm', thought: true }] },
    { role: 'model', parts: [{ text: '.', thought: true }] },
    { role: 'model', parts: [{ text: '', thought: true, thoughtSignature: sealed }] },
    { role: 'model', parts: [{ text: 'Hel' }, { text: 'lo' }] },
    { role: 'model', parts: [{ text: '', thoughtSignature: 'AbC=' }] },
  );
  assert.deepEqual(turns[1], {
    role: 'assistant',
    blocks: [
      { type: 'reasoning', text: 'Hm.', signature: 'sig', issuer: 'anthropic' },
      { type: 'text', text: 'Hello' },
      { type: 'reasoning', text: '', signature: 'AbC=', issuer: 'google' },
    ],
  });
});

test('signatures: Google’s unchanged, sealed ones opened, encrypted reasoning recognized, the placeholder ignored', () => {
  const call = { functionCall: { name: 'f', args: {} } };
  const signed = (thoughtSignature: string) =>
    turnsOf({ role: 'model', parts: [{ ...call, thoughtSignature }] })[0]?.blocks[0];
  assert.deepEqual(signed('AY89+/='), {
    type: 'reasoning',
    text: '',
    signature: 'AY89+/=',
    issuer: 'google',
  });
  assert.deepEqual(signed(sealed), { type: 'reasoning', text: '', signature: 'sig', issuer: 'anthropic' });
  assert.deepEqual(signed(base64('sluice.openai.redacted abc')), {
    type: 'reasoning',
    text: '',
    redacted: 'abc',
    issuer: 'openai',
  });
  assert.deepEqual(signed(base64('sluice.anthropic.thought ["Hm.","sig"]')), {
    type: 'reasoning',
    text: 'Hm.',
    signature: 'sig',
    issuer: 'anthropic',
  });
  assert.equal(signed('skip_thought_signature_validator')?.type, 'tool-call');
});

test('results find their calls by id, else by name and order', () => {
  const call = (name: string, id?: string) => ({ functionCall: { name, ...(id !== undefined && { id }) } });
  const response = (name: string, id?: string) => ({
    functionResponse: { name, response: { output: 'x' }, ...(id !== undefined && { id }) },
  });
  const idsOf = (...parts: JsonObject[][]) =>
    turnsOf(...parts.map((list, at) => ({ role: at % 2 === 0 ? 'model' : 'user', parts: list }))).map(
      (turn) =>
        turn.blocks.map((block) =>
          block.type === 'tool-call' ? block.id : block.type === 'tool-result' ? block.callId : '',
        ),
    );
  assert.deepEqual(idsOf([call('f', 'a'), call('g', 'b')], [response('g', 'b'), response('f', 'a')]), [
    ['a', 'b'],
    ['b', 'a'],
  ]);
  const [calls, results] = idsOf(
    [call('f'), call('g'), call('f')],
    [response('g'), response('f'), response('f')],
  );
  assert.deepEqual(results, [calls?.[1], calls?.[0], calls?.[2]]);
  assert.equal(new Set(calls).size, 3);
  const [first, , second] = idsOf([call('f')], [response('f')], [call('f')], [response('f')]);
  assert.notDeepEqual(first, second, 'calls of two turns are two calls');
  const [one, , other, late] = idsOf([call('f')], [], [call('f')], [response('f')]);
  assert.notDeepEqual(one, other);
  assert.deepEqual(late, other, 'a call that was never answered takes no later result');
});

test('a result is its output, its error or its JSON, with its media', () => {
  const of = (functionResponse: JsonObject) =>
    turnsOf({ role: 'user', parts: [{ functionResponse: { name: 'f', ...functionResponse } }] })[0]
      ?.blocks[0];
  const shapeOf = (response: JsonObject) => {
    const block = of({ response });
    assert.ok(block?.type === 'tool-result');
    return [block.isError, ...block.blocks.map((inner) => (inner.type === 'text' ? inner.text : inner.type))];
  };
  assert.deepEqual(shapeOf({ output: 'a' }), [false, 'a']);
  assert.deepEqual(shapeOf({ error: 'a' }), [true, 'a']);
  assert.deepEqual(shapeOf({ output: { a: 1 } }), [false, '{"a":1}']);
  assert.deepEqual(shapeOf({ a: 1, b: 2 }), [false, '{"a":1,"b":2}']);
  assert.deepEqual(shapeOf({ output: 'a', b: 2 }), [false, '{"output":"a","b":2}']);
  assert.deepEqual(shapeOf({ a: 'b' }), [false, '{"a":"b"}']);
  assert.deepEqual(shapeOf({}), [false]);
  const block = of({ parts: [{ inlineData: { mimeType: 'image/png', data: 'AA' } }] });
  assert.ok(block?.type === 'tool-result');
  assert.equal(block.blocks[0]?.type, 'media');
});

test('media: text is a document, Google’s files stay Google’s, addresses are addresses', () => {
  const media = (part: JsonObject) => turnsOf({ parts: [part] })[0]?.blocks[0];
  assert.deepEqual(
    media({ inlineData: { mimeType: 'text/plain', data: base64('héllo'), displayName: 'a.txt' } }),
    {
      type: 'media',
      kind: 'document',
      mediaType: 'text/plain',
      source: { text: 'héllo' },
      title: 'a.txt',
    },
  );
  assert.deepEqual(media({ fileData: { mimeType: 'audio/mp3', fileUri: 'gs://b/a' } }), {
    type: 'media',
    kind: 'audio',
    mediaType: 'audio/mp3',
    source: { fileId: 'gs://b/a', format: 'gemini' },
  });
  assert.deepEqual(media({ fileData: { fileUri: 'https://a/b.pdf' } }), {
    type: 'media',
    kind: 'document',
    source: { url: 'https://a/b.pdf' },
  });
});

test('a part with a text and an image is read as both', () => {
  const inlineData = { mimeType: 'image/png', data: 'AAAA' };
  const { turns } = decode({ contents: [{ parts: [{ text: 'Look:', inlineData }] }] });
  assert.deepEqual(
    turns[0]?.blocks.map(({ type }) => type),
    ['text', 'media'],
  );
});

test('schemas of Google’s become JSON Schema at schema positions only', () => {
  const parameters = {
    type: 'OBJECT',
    properties: {
      type: { type: 'STRING', nullable: true, enum: ['A'] },
      nullable: { type: 'ARRAY', items: { type: 'INTEGER', format: 'enum', enum: ['1'] }, minItems: '2' },
    },
    required: ['type'],
  };
  const plain = { type: 'object', properties: { type: { type: 'STRING' } } };
  const tools = [
    { functionDeclarations: [{ name: 'f', description: 'F.', parameters }] },
    { functionDeclarations: [{ name: 'g', parametersJsonSchema: plain }], googleSearch: {} },
  ];
  assert.deepEqual(decode({ tools }).tools, [
    {
      type: 'function',
      name: 'f',
      description: 'F.',
      inputSchema: {
        type: 'object',
        properties: {
          type: { type: ['string', 'null'], enum: ['A', null] },
          nullable: { type: 'array', items: { type: 'integer', enum: [1] }, minItems: 2 },
        },
        required: ['type'],
      },
    },
    { type: 'function', name: 'g', inputSchema: plain },
    { type: 'native', format: 'gemini', value: { googleSearch: {} } },
  ]);
});

test('tools that are null are none, and ten thousand are the most', () => {
  assert.deepEqual(decode({ tools: [{ googleSearch: null, functionDeclarations: null }, {}] }).tools, []);
  const count = (length: number) => {
    const functionDeclarations = Array.from({ length }, () => ({ name: 'f' }));
    return decode({ tools: [{ functionDeclarations }] }).tools.length;
  };
  assert.equal(count(10_000), 10_000);
  assert.throws(() => count(10_001), /tools: at most 10000 are accepted/);
});

test('a choice among some functions offers only those', () => {
  const tools = [{ functionDeclarations: ['a', 'b', 'c'].map((name) => ({ name })) }];
  const requested = (functionCallingConfig: JsonObject) => {
    const { tools: offered, toolChoice } = decode({ tools, toolConfig: { functionCallingConfig } });
    return [offered.map(({ name }) => name).join(''), toolChoice?.type];
  };
  assert.deepEqual(requested({ mode: 'ANY', allowedFunctionNames: ['a', 'c'] }), ['ac', 'any']);
  assert.deepEqual(requested({ mode: 'VALIDATED', allowedFunctionNames: ['b'] }), ['b', 'auto']);
  assert.deepEqual(requested({ mode: 'NONE' }), ['abc', 'none']);
  assert.deepEqual(requested({}), ['abc', 'auto']);
});

test('what cannot be read is refused by its path', () => {
  const cases: [JsonObject, string][] = [
    [{ contents: [] }, 'contents'],
    [{ contents: 'x' }, 'contents'],
    [{ contents: [{ role: 'wizard', parts: [] }] }, 'contents[0].role'],
    [{ contents: [{ parts: [{}] }] }, 'contents[0].parts[0]'],
    [{ contents: [{ parts: [{ text: 7 }] }] }, 'contents[0].parts[0].text'],
    [
      { contents: [{ role: 'model', parts: [{ functionCall: {} }] }] },
      'contents[0].parts[0].functionCall.name',
    ],
    [
      { contents: [{ parts: [{ functionResponse: { name: '' } }] }] },
      'contents[0].parts[0].functionResponse.name',
    ],
    [{ contents: [{ parts: [{ inlineData: { data: 'A' } }] }] }, 'contents[0].parts[0].inlineData.mimeType'],
    [{ tools: {} }, 'tools'],
    [{ tools: [{ functionDeclarations: [{}] }] }, 'tools[0].functionDeclarations[0].name'],
    [{ tools: [{ codeExecution: {} }, { name: 'f', parameters: {} }] }, 'tools[1].name'],
    [{ tools: [{ type: 'function', function: { name: 'f' } }] }, 'tools[0].type'],
    [{ toolConfig: { functionCallingConfig: { mode: 'SOME' } } }, 'toolConfig.functionCallingConfig.mode'],
    [{ generationConfig: { temperature: 3 } }, 'generationConfig.temperature'],
    [{ generationConfig: { maxOutputTokens: 1.5 } }, 'generationConfig.maxOutputTokens'],
    [
      { generationConfig: { thinkingConfig: { thinkingLevel: 'MOST' } } },
      'generationConfig.thinkingConfig.thinkingLevel',
    ],
  ];
  for (const [fields, param] of cases) {
    assert.throws(() => decode(fields), { code: 'invalid_request', param }, JSON.stringify(fields));
  }
});

test('a body of another format is recognized and referred to its endpoint', () => {
  const refusalOf = (body: JsonObject): GatewayError =>
    catchRefusal(() => geminiInbound.decodeRequest(body, {}));
  for (const [field, endpoint] of [
    ['messages', '/v1/chat/completions or /v1/messages'],
    ['input', '/v1/responses'],
  ] as const) {
    const { code, param, message } = refusalOf({ [field]: [] });
    assert.deepEqual([code, param], ['wrong_format', field]);
    assert.ok(message.endsWith(endpoint), message);
  }
  const { code, param } = refusalOf({ model: 'm' });
  assert.deepEqual([code, param], ['invalid_request', 'contents']);
});
