import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '#base';
import type { Dialect } from '#canonical';
import { createGeminiTarget, openClient } from '../../../../test/support/gemini-exchange.ts';
import { geminiInbound } from '../inbound.ts';
import { geminiOutbound } from '../outbound.ts';
import { refuseGeminiOnly } from '../refuse-elsewhere.ts';

const forward = (body: JsonObject, dialect: Partial<Dialect> = {}): JsonObject =>
  geminiOutbound.openExchange(openClient(body).request, createGeminiTarget(dialect)).body;
const sealed = (issuer: string) => Buffer.from(`sluice.${issuer}.sig`).toString('base64');

test('known members of a Gemini client’s body are sent unchanged, including safety settings and caches', () => {
  const body = {
    contents: [
      { role: 'user', parts: [{ text: '' }, { video_metadata: {}, fileData: { fileUri: 'https://x' } }] },
      { role: 'model', parts: [{ functionCall: { name: 'f' }, thoughtSignature: 'AY8=' }] },
    ],
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }],
    cachedContent: 'cachedContents/1',
    tools: [
      { googleSearch: {}, functionDeclarations: [{ name: '7', parameters: { type: 'OBJECT', $id: 1 } }] },
    ],
    generationConfig: {
      thinkingConfig: { thinkingBudget: 5 },
      stopSequences: ['1', '2', '3', '4', '5', '6'],
    },
  };
  assert.deepEqual(forward({ ...body, model: 'models/x' }), body);
  const [first] = forward(body)['contents'] as unknown[];
  assert.equal(first, body.contents[0], 'untouched subtrees are not rebuilt');
});

test('unknown members are not sent to Gemini, because they might cost something', () => {
  const known = {
    contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }],
    generation_config: { max_output_tokens: 5, imageConfig: { imageSize: '1K' } },
    toolConfig: { functionCallingConfig: { mode: 'AUTO' }, retrievalConfig: { languageCode: 'de' } },
  };
  const { contents, generation_config: config, toolConfig } = known;
  const sent = geminiOutbound.openExchange(
    geminiInbound.decodeRequest(
      {
        model: 'models/x',
        contents,
        generation_config: { ...config, priority: 'high', webGrounding: { depth: 9 } },
        toolConfig: { ...toolConfig, paidThing: {} },
        newer: { a: 1 },
        automaticContinuation: true,
        store: true,
      },
      {},
    ),
    createGeminiTarget(),
  );
  assert.deepEqual(sent.body, known);
});

test('of a member in both spellings the one that is read is sent, so that the hold matches the request', () => {
  const body = forward({
    generationConfig: { maxOutputTokens: 5, max_output_tokens: 60_000 },
    generation_config: { maxOutputTokens: 60_000 },
  });
  assert.deepEqual(body['generationConfig'], { maxOutputTokens: 5 });
  assert.equal(body['generation_config'], undefined);
});

test('what would be missed if it were not sent is refused by name', () => {
  for (const [fields, path] of [
    [{ modelArmorConfig: {} }, 'modelArmorConfig'],
    [{ generationConfig: { routingConfig: {} } }, 'generationConfig.routingConfig'],
    [{ generation_config: { model_config: {} } }, 'generationConfig.modelConfig'],
  ] as const)
    assert.throws(
      () =>
        geminiInbound.decodeRequest({ model: 'm', contents: [{ parts: [{ text: 'a' }] }], ...fields }, {}),
      { param: path },
    );
});

test('sealed signatures are opened for their issuer and left out for Google, with the thoughts they belong to', () => {
  const model = (...parts: JsonValue[]): JsonObject => ({ contents: [{ role: 'model', parts }] });
  const partsOf = (
    body: JsonObject,
    dialect: Partial<Dialect> = { thoughtSignatures: 'optional' },
  ): unknown => (forward(body, dialect)['contents'] as JsonObject[])[0]?.['parts'];
  const call = { functionCall: { name: 'f' } };
  const foreign = model(
    { text: 'Hm.', thought: true, thoughtSignature: sealed('anthropic') },
    { text: '', thought_signature: sealed('anthropic') },
    { text: 'said', thoughtSignature: sealed('anthropic') },
    { ...call, thoughtSignature: sealed('anthropic') },
  );
  assert.deepEqual(partsOf(foreign), [{ text: 'said' }, call]);
  const standIn = { ...call, thoughtSignature: 'skip_thought_signature_validator' };
  assert.deepEqual(partsOf(foreign, {}), [{ text: 'said' }, standIn]);
  const own = model({ ...call, thoughtSignature: sealed('vertex') });
  assert.deepEqual(partsOf(own, { issuer: 'vertex' }), [{ ...call, thoughtSignature: 'sig' }]);
});

test('several candidates are requested one by one', () => {
  assert.deepEqual(forward({ generationConfig: { candidateCount: 3, topP: 1 } })['generationConfig'], {
    topP: 1,
  });
});

test('what only Google’s models can do is refused by name elsewhere', () => {
  const open = (fields: JsonObject) => refuseGeminiOnly(openClient(fields).request);
  assert.ok(open({ generationConfig: { responseModalities: ['TEXT'], responseMimeType: 'text/plain' } }));
  const cases: [JsonObject, string][] = [
    [{ cachedContent: 'cachedContents/1' }, 'cachedContent'],
    [{ generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } }, 'generationConfig.responseModalities'],
    [{ generationConfig: { speechConfig: {} } }, 'generationConfig.speechConfig'],
    [{ generationConfig: { responseMimeType: 'text/x.enum' } }, 'generationConfig.responseMimeType'],
  ];
  for (const [fields, param] of cases)
    assert.throws(() => open(fields), { code: 'unsupported_feature', param });
});

test('an output limit that the gateway lowers replaces the caller’s in its own spelling', () => {
  const limit = (body: JsonObject): JsonObject => {
    const contents = [{ role: 'user', parts: [{ text: 'Hello.' }] }];
    const request = geminiInbound.decodeRequest({ model: 'models/x', contents, ...body }, {});
    const limited = { ...request, maxOutputTokens: 5 };
    const { contents: _, ...sent } = geminiOutbound.openExchange(limited, createGeminiTarget()).body;
    return sent;
  };
  assert.deepEqual(limit({ generationConfig: { temperature: 1, maxOutputTokens: 9 } }), {
    generationConfig: { temperature: 1, maxOutputTokens: 5 },
  });
  assert.deepEqual(limit({ generation_config: { max_output_tokens: 9 } }), {
    generation_config: { max_output_tokens: 5 },
  });
  assert.deepEqual(limit({}), { generationConfig: { maxOutputTokens: 5 } });
});
