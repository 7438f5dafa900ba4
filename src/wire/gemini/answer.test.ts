import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, parseJsonObject } from '#base';
import { type Block, type GenerationResult, createUsage, toEvents } from '#canonical';
import { GatewayError } from '#errors';
import {
  GEMINI_REPLY,
  openClient,
  encodeAnswer as encode,
  partsOf,
  streamAnswer as stream,
} from '../../../test/support/gemini-exchange.ts';

const chunksOf = (result: GenerationResult, includeThoughts = true): JsonObject[] =>
  stream(result, includeThoughts).map(({ data }) => parseJsonObject(data) ?? {});
const answer = (blocks: Block[], rest: Partial<GenerationResult> = {}): GenerationResult => ({
  id: 'id',
  model: 'upstream',
  blocks,
  finish: { reason: 'stop' },
  ...rest,
});
const call = (json: string): Block => ({ type: 'tool-call', id: 'c1', name: 'f', input: { json } });
const seal = (text: string): string => Buffer.from(text).toString('base64');

test('an answer has its text, each call in one part, its usage and the requested model', () => {
  const usage = createUsage({
    inputUncached: 5,
    inputCacheRead: 3,
    inputAudio: 2,
    outputText: 4,
    outputReasoning: 6,
  });
  const result = answer([{ type: 'text', text: 'Hi' }, call('{"a":1}')], {
    usage,
    finish: { reason: 'tool-calls' },
  });
  const functionCall = { id: 'c1', name: 'f', args: { a: 1 } };
  const usageMetadata = {
    promptTokenCount: 10,
    candidatesTokenCount: 4,
    totalTokenCount: 20,
    cachedContentTokenCount: 3,
    thoughtsTokenCount: 6,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 8 },
      { modality: 'AUDIO', tokenCount: 2 },
    ],
  };
  const tail = { modelVersion: 'client-model', responseId: 'id' };
  assert.deepEqual(encode(result), {
    candidates: [
      {
        content: { parts: [{ text: 'Hi' }, { functionCall }], role: 'model' },
        finishReason: 'STOP',
        index: 0,
      },
    ],
    usageMetadata,
    ...tail,
  });
  const chunk = (parts: JsonObject[], rest: JsonObject = {}) => ({
    candidates: [{ content: { parts, role: 'model' }, ...rest, index: 0 }],
    ...tail,
  });
  assert.deepEqual(chunksOf(result), [
    chunk([{ text: 'Hi' }]),
    chunk([{ functionCall }]),
    { ...chunk([{ text: '' }], { finishReason: 'STOP' }), usageMetadata },
  ]);
  for (const frame of stream(result)) assert.equal(frame.event, undefined);
});

test('a signature is put on the following call, Google’s unchanged and others sealed in base64', () => {
  const signed = (issuer: string) =>
    answer([{ type: 'reasoning', text: '', signature: 'AY8=', issuer }, call('{}')]);
  for (const [issuer, thoughtSignature] of [
    ['google', 'AY8='],
    ['anthropic', seal('sluice.anthropic.AY8=')],
  ] as const) {
    const part = { functionCall: { id: 'c1', name: 'f', args: {} }, thoughtSignature };
    assert.deepEqual(partsOf(encode(signed(issuer))), [part]);
    assert.deepEqual(chunksOf(signed(issuer)).map(partsOf), [[part], [{ text: '' }]]);
  }
});

test('a final signature is sent with an empty text, in the last chunk', () => {
  const result = answer([
    { type: 'text', text: 'a' },
    { type: 'reasoning', text: '', signature: 's', issuer: 'google' },
  ]);
  const closing = { text: '', thoughtSignature: 's' };
  assert.deepEqual(partsOf(encode(result)), [{ text: 'a' }, closing]);
  assert.deepEqual(chunksOf(result).map(partsOf), [[{ text: 'a' }], [closing]]);
});

test('thoughts are sent only if requested; otherwise they are omitted, or sealed if their issuer needs them back', () => {
  const result = answer([
    { type: 'reasoning', text: 'plain' },
    { type: 'reasoning', text: 'Hm.', signature: 'sig', issuer: 'anthropic' },
    call('{}'),
  ]);
  const functionCall = { id: 'c1', name: 'f', args: {} };
  assert.deepEqual(partsOf(encode(result)), [
    { text: 'plain', thought: true },
    { text: 'Hm.', thought: true },
    { text: '', thought: true, thoughtSignature: seal('sluice.anthropic.sig') },
    { functionCall },
  ]);
  assert.deepEqual(chunksOf(result).map(partsOf), [
    [{ text: 'plain', thought: true }],
    [{ text: 'Hm.', thought: true }],
    [{ text: '', thought: true, thoughtSignature: seal('sluice.anthropic.sig') }],
    [{ functionCall }],
    [{ text: '' }],
  ]);
  const hidden = [{ functionCall, thoughtSignature: seal('sluice.anthropic.thought ["Hm.","sig"]') }];
  assert.deepEqual(partsOf(encode(result, false)), hidden);
  assert.deepEqual(chunksOf(result, false).map(partsOf), [hidden, [{ text: '' }]]);
});

test('an answer that a client sends back contains the signed reasoning, shown or hidden', () => {
  const blocks: Block[] = [
    { type: 'reasoning', text: 'Hm.', signature: 'sig', issuer: 'anthropic' },
    { type: 'reasoning', text: '', redacted: 'enc', issuer: 'openai' },
    { type: 'reasoning', text: '', signature: 'AY8=', issuer: 'google' },
    { type: 'tool-call', id: 'c1', name: 'f', input: { value: { a: 1 } } },
  ];
  for (const isShown of [true, false]) {
    const contents = chunksOf(answer(blocks), isShown).flatMap((chunk) =>
      ((chunk['candidates'] ?? []) as { content: JsonObject }[]).map(({ content }) => content),
    );
    assert.deepEqual(openClient({ contents }).request.turns, [{ role: 'assistant', blocks }]);
    const [whole] = (encode(answer(blocks), isShown)['candidates'] ?? []) as { content: JsonObject }[];
    assert.deepEqual(openClient({ contents: [whole?.content ?? {}] }).request.turns, [
      { role: 'assistant', blocks },
    ]);
  }
});

test('[D-26] a cut call is omitted, and the finish reason shows why', () => {
  const finishOf = (reason: 'length' | 'tool-calls') => {
    const body = encode(answer([call('{"a":')], { finish: { reason } }));
    assert.deepEqual(partsOf(body), [{ text: '' }]);
    assert.deepEqual(chunksOf(answer([call('{"a":')])).map(partsOf), [[{ text: '' }]]);
    return (body['candidates'] as JsonObject[])[0]?.['finishReason'];
  };
  assert.equal(finishOf('length'), 'MAX_TOKENS');
  assert.equal(finishOf('tool-calls'), 'MALFORMED_FUNCTION_CALL');
});

test('a refusal keeps Google’s finish reason, and a blocked prompt has no candidate', () => {
  const finishOf = (raw: string) =>
    (encode(answer([], { finish: { reason: 'content-filter', raw } }))['candidates'] as JsonObject[])[0]?.[
      'finishReason'
    ];
  assert.equal(finishOf('RECITATION'), 'RECITATION');
  assert.equal(finishOf('refusal'), 'SAFETY');
  const promptFeedback = { blockReason: 'SAFETY' };
  const blocked = answer([], {
    finish: { reason: 'content-filter', raw: 'SAFETY' },
    extra: { gemini: { promptFeedback } },
  });
  for (const body of [encode(blocked), ...chunksOf(blocked)]) {
    assert.equal(body['candidates'], undefined);
    assert.deepEqual(body['promptFeedback'], promptFeedback);
  }
});

test('citations of any format are grounding', () => {
  const annotations = [
    {
      format: 'chat' as const,
      value: { type: 'url_citation', url_citation: { url: 'https://a', title: 'A' } },
    },
    {
      format: 'messages' as const,
      value: { type: 'web_search_result_location', url: 'https://b', title: 'B' },
    },
  ];
  const groundingMetadata = {
    groundingChunks: [{ web: { uri: 'https://a', title: 'A' } }, { web: { uri: 'https://b', title: 'B' } }],
  };
  const result = answer([{ type: 'text', text: 'a', annotations }]);
  for (const body of [encode(result), chunksOf(result).at(-1) ?? {}])
    assert.deepEqual((body['candidates'] as JsonObject[])[0]?.['groundingMetadata'], groundingMetadata);
});

test('several generations are the candidates of one answer', () => {
  const { format } = openClient();
  const results = [answer([{ type: 'text', text: 'a' }]), answer([{ type: 'text', text: 'b' }])];
  const body = format.encodeChoices?.(results, createUsage({ outputText: 2 }), GEMINI_REPLY) ?? {};
  assert.deepEqual(
    (body['candidates'] as JsonObject[]).map(({ index }) => index),
    [0, 1],
  );
  const encoder = format.createStreamEncoder(GEMINI_REPLY, { index: 1, isLast: () => true });
  const frames = toEvents(results[1] ?? answer([])).flatMap((event) => encoder.push(event));
  for (const { data } of frames)
    assert.equal((parseJsonObject(data)?.['candidates'] as JsonObject[])[0]?.['index'], 1);
});

test('errors have Google’s shape, also in a stream', () => {
  const { format } = openClient();
  const error = new GatewayError('upstream_rate_limited', 'slow down', { retryAfterSeconds: 7 });
  assert.deepEqual(format.encodeError(error, 'req'), {
    error: {
      code: 429,
      message: 'slow down',
      status: 'RESOURCE_EXHAUSTED',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'UPSTREAM_RATE_LIMITED',
          domain: 'sluice',
        },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' },
      ],
    },
  });
  const encoder = format.createStreamEncoder(GEMINI_REPLY);
  const [frame] = encoder.push({
    type: 'generation-error',
    failure: { kind: 'overloaded', message: 'busy' },
  });
  const given = parseJsonObject(frame?.data ?? '')?.['error'] as JsonObject;
  assert.deepEqual([given['code'], given['status'], given['message']], [503, 'UNAVAILABLE', 'busy']);
  assert.deepEqual(encoder.push({ type: 'block-end', index: 0 }), []);
});
