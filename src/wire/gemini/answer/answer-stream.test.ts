import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { type GenerationEvent, collect, createUsage } from '#canonical';
import {
  chunkOf,
  decodeChunks,
  decodeGeminiBody,
  decodeMessages,
  openGemini,
} from '../../../../test/support/gemini-exchange.ts';
import { NO_RECORDINGS, RECORDINGS, hasRecordings } from '../../../../test/support/recordings.ts';
import { readFileSync } from 'node:fs';

const STOP = { finishReason: 'STOP' };
const resultOf = (...chunks: JsonObject[]) => collect(decodeChunks(chunks));
const blocksOf = (...chunks: JsonObject[]) => resultOf(...chunks).blocks;
const lastOf = (events: GenerationEvent[]): GenerationEvent => {
  const last = events.at(-1);
  assert.ok(last);
  return last;
};

test('text is joined over chunks; a signature after it on an empty text is a separate block', () => {
  const chunks = [
    chunkOf([{ text: 'Hel' }]),
    chunkOf([{ text: 'lo' }]),
    chunkOf([{ text: '', thoughtSignature: 's' }], STOP),
  ];
  assert.deepEqual(blocksOf(...chunks), [
    { type: 'text', text: 'Hello' },
    { type: 'reasoning', text: '', issuer: 'google', signature: 's' },
  ]);
});

test('thoughts become reasoning; a call is preceded by its signature and always has arguments', () => {
  const parts = [
    { text: 'Hm.', thought: true },
    { functionCall: { name: 'now' }, thoughtSignature: 's' },
    { functionCall: { id: 'own', name: 'look', args: { a: 1 } } },
  ];
  const [thought, signature, first, second] = blocksOf(chunkOf(parts), chunkOf([{ text: '' }], STOP));
  assert.deepEqual(thought, { type: 'reasoning', text: 'Hm.' });
  assert.deepEqual(signature, { type: 'reasoning', text: '', issuer: 'google', signature: 's' });
  assert.ok(first?.type === 'tool-call');
  assert.match(first.id, /^call_\w{22}$/);
  assert.deepEqual(first.input, { json: '{}' });
  assert.deepEqual(second, { type: 'tool-call', id: 'own', name: 'look', input: { json: '{"a":1}' } });
});

test('[D-24] STOP with a call is an answer that calls tools', () => {
  assert.deepEqual(resultOf(chunkOf([{ functionCall: { name: 'now' } }], STOP)).finish, {
    reason: 'tool-calls',
    raw: 'STOP',
  });
  assert.deepEqual(resultOf(chunkOf([{ text: 'a' }], STOP)).finish, { reason: 'stop', raw: 'STOP' });
});

test('arguments in pieces are put together by their paths', () => {
  const piece = (jsonPath: string, value: JsonObject, willContinue = true): JsonObject =>
    chunkOf([
      { functionCall: { partialArgs: [{ jsonPath, ...value }], ...(willContinue && { willContinue }) } },
    ]);
  const blocks = blocksOf(
    chunkOf([{ functionCall: { name: 'book', willContinue: true }, thoughtSignature: 's' }]),
    piece('$.city', { stringValue: 'Par', willContinue: true }),
    piece('$.city', { stringValue: 'is' }),
    piece('$.days[0].no', { numberValue: 1 }),
    piece('$.days[1]', { boolValue: true }),
    piece("$['a b']", { nullValue: 'NULL_VALUE' }),
    piece('$.__proto__.x', { stringValue: 'no' }),
    piece('$.days[900000]', { stringValue: 'no' }),
    chunkOf([{ functionCall: {} }]),
    chunkOf([{ functionCall: { name: 'now', willContinue: true } }]),
    chunkOf([{ text: 'and' }], STOP),
  );
  assert.deepEqual(
    blocks.map((block) => (block.type === 'tool-call' ? block.input : block.type)),
    ['reasoning', { json: '{"city":"Paris","days":[{"no":1},true],"a b":null}' }, { json: '{}' }, 'text'],
  );
});

test('a call whose arguments are not complete ends with what follows it, but not with an empty part', () => {
  const begin = chunkOf([{ functionCall: { name: 'book', args: { b: 2 }, willContinue: true } }]);
  const rest = { functionCall: { partialArgs: [{ jsonPath: '$.a', numberValue: 1 }] } };
  const typesOf = (...parts: JsonObject[]) =>
    blocksOf(begin, chunkOf(parts), chunkOf([rest], STOP)).map((block) =>
      block.type === 'tool-call' ? block.input : block.type,
    );
  assert.deepEqual(typesOf({ text: '' }), [{ json: '{"b":2,"a":1}' }]);
  assert.deepEqual(typesOf({}), [{ json: '{"b":2,"a":1}' }]);
  assert.deepEqual(typesOf({ text: 'x' }), [{ json: '{"b":2}' }, 'text']);
  const code = { executableCode: { code: '', language: 'PYTHON' } };
  assert.deepEqual(typesOf(code), [{ json: '{"b":2}' }, 'native']);
  assert.deepEqual(typesOf({ functionCall: { name: 'now' } }), [{ json: '{"b":2}' }, { json: '{}' }]);
  const cut = blocksOf(begin, chunkOf([], STOP));
  assert.deepEqual(
    cut.map((block) => block.type === 'tool-call' && block.input),
    [{ json: '{"b":2}' }],
  );
});

test('a signed thought is a block of its own, between others', () => {
  const parts = [
    { text: 'One.', thought: true },
    { text: 'Two.', thought: true, thoughtSignature: 's' },
    { text: 'Three.', thought: true },
    { text: 'So', thoughtSignature: 't' },
  ];
  assert.deepEqual(blocksOf(chunkOf(parts, STOP)), [
    { type: 'reasoning', text: 'One.' },
    { type: 'reasoning', text: 'Two.', issuer: 'google', signature: 's' },
    { type: 'reasoning', text: 'Three.' },
    { type: 'text', text: 'So' },
    { type: 'reasoning', text: '', issuer: 'google', signature: 't' },
  ]);
});

test('a block reason beside an answer that ends does not make it a refusal', () => {
  const answer = { ...chunkOf([{ text: 'a' }], STOP), promptFeedback: { blockReason: 'OTHER' } };
  assert.deepEqual(resultOf(answer).finish, { reason: 'stop', raw: 'STOP' });
});

test('searches and lookups in maps are counted as uses of tools', () => {
  const metadata = (groundingMetadata: JsonObject) =>
    resultOf(chunkOf([{ text: 'a' }], { ...STOP, groundingMetadata })).tools;
  const chunks = [{ maps: { uri: 'https://maps' } }];
  assert.deepEqual(metadata({ webSearchQueries: ['a', 'b'] }), [{ tool: 'google_search', count: 2 }]);
  assert.deepEqual(metadata({ groundingChunks: chunks }), [{ tool: 'google_maps', count: 1 }]);
  assert.equal(metadata({}), undefined);
});

test('generated media are images, audio, or documents, by bytes or by address', () => {
  const kinds = (mimeType?: string) => {
    const [block] = blocksOf(chunkOf([{ inlineData: { data: 'AA', ...(mimeType && { mimeType }) } }], STOP));
    return block?.type === 'media' && block.kind;
  };
  assert.deepEqual(
    [kinds('image/png'), kinds('audio/wav'), kinds('application/pdf'), kinds()],
    ['image', 'audio', 'document', 'document'],
  );
  const [file] = blocksOf(chunkOf([{ fileData: { mimeType: 'audio/wav', fileUri: 'https://a' } }], STOP));
  assert.deepEqual(file, {
    type: 'media',
    kind: 'audio',
    mediaType: 'audio/wav',
    source: { url: 'https://a' },
  });
});

test('finish reasons: cut, refused, blocked, and those that are failures', () => {
  const finishOf = (finishReason: string) => resultOf(chunkOf([{ text: 'a' }], { finishReason })).finish;
  assert.deepEqual(finishOf('MAX_TOKENS'), { reason: 'length', raw: 'MAX_TOKENS' });
  for (const word of [
    'SAFETY',
    'RECITATION',
    'LANGUAGE',
    'BLOCKLIST',
    'PROHIBITED_CONTENT',
    'SPII',
    'IMAGE_SAFETY',
    'NO_IMAGE',
  ])
    assert.deepEqual(finishOf(word), { reason: 'content-filter', raw: word });
  assert.deepEqual(finishOf('NEWER'), { reason: 'unknown', raw: 'NEWER' });
  for (const word of ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'OTHER']) {
    const last = lastOf(decodeChunks([{ candidates: [{ finishReason: word, finishMessage: 'because' }] }]));
    assert.ok(last.type === 'generation-error' && last.failure.kind === 'broken', word);
    assert.match(last.failure.message, new RegExp(`${word}: because`));
  }
});

test('a blocked prompt is a refusal without text', () => {
  const body = {
    promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
    usageMetadata: { promptTokenCount: 5 },
  };
  for (const result of [resultOf(body), decodeGeminiBody(body)]) {
    assert.deepEqual(result.blocks, []);
    assert.deepEqual(result.finish, { reason: 'content-filter', raw: 'PROHIBITED_CONTENT' });
    assert.equal(result.usage?.inputUncached, 5);
  }
});

test('[D-8] [D-1] usage: the last count wins, thoughts and tool input are added, cached and audio tokens are separate', () => {
  const usageMetadata = {
    promptTokenCount: 100,
    cachedContentTokenCount: 40,
    toolUsePromptTokenCount: 7,
    candidatesTokenCount: 20,
    thoughtsTokenCount: 300,
    totalTokenCount: 427,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 70 },
      { modality: 'AUDIO', tokenCount: 30 },
    ],
    cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 10 }],
    candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 5 }],
    trafficType: 'ON_DEMAND',
  };
  const { usage, extra } = resultOf(
    { ...chunkOf([{ text: 'a' }]), usageMetadata: { promptTokenCount: 100, totalTokenCount: 100 } },
    { ...chunkOf([{ text: 'b' }], STOP), usageMetadata },
    { usageMetadata: { trafficType: 'ON_DEMAND' } },
  );
  assert.deepEqual(
    usage,
    createUsage({
      inputUncached: 47,
      inputCacheRead: 40,
      inputAudio: 20,
      outputText: 15,
      outputReasoning: 300,
      outputAudio: 5,
    }),
  );
  const { cacheTokensDetails, candidatesTokensDetails } = usageMetadata;
  const kept = { cacheTokensDetails, candidatesTokensDetails, trafficType: 'ON_DEMAND' };
  assert.deepEqual(extra, { gemini: { usageMetadata: kept } });
});

test('[D-58] a stream without a finish reason is broken, never an end', () => {
  const last = lastOf(decodeChunks([chunkOf([{ text: 'a' }])]));
  assert.ok(last.type === 'generation-error' && last.failure.kind === 'broken');
});

test('[D-63] an error among the chunks is a failure with its kind and its delay', () => {
  const error = {
    code: 429,
    message: 'slow down',
    status: 'RESOURCE_EXHAUSTED',
    details: [{ retryDelay: '34.4s' }],
  };
  for (const data of [{ error }, [{ error }]]) {
    const [event] = decodeMessages([{ data: JSON.stringify(data) }]);
    assert.ok(event?.type === 'generation-error');
    assert.equal(event.failure.kind, 'rate-limited');
    assert.equal(event.failure.retryAfterSeconds, 35);
  }
});

test('Gemini’s own fields are kept for Gemini clients, and grounding pages are citations for all', () => {
  const groundingMetadata = {
    webSearchQueries: ['a', 'b'],
    groundingChunks: [{ web: { uri: 'https://a', title: 'A' } }, {}],
  };
  const { blocks, extra, usage } = resultOf({
    ...chunkOf([{ text: 'a' }], { ...STOP, groundingMetadata, safetyRatings: [] }),
    usageMetadata: { promptTokenCount: 1 },
  });
  const citation = { type: 'url_citation', url_citation: { url: 'https://a', title: 'A' } };
  assert.deepEqual(blocks, [{ type: 'text', text: 'a', annotations: [{ format: 'chat', value: citation }] }]);
  assert.deepEqual(extra, { gemini: { candidate: { groundingMetadata, safetyRatings: [] } } });
  assert.equal(usage?.webSearches, 2);
});

test('code that Google ran is a native block, and generated images are media with their signature', () => {
  const code = { executableCode: { code: '1', language: 'PYTHON' } };
  const image = { inlineData: { mimeType: 'image/png', data: 'AA' }, thoughtSignature: 's' };
  assert.deepEqual(blocksOf(chunkOf([code, image], STOP)), [
    { type: 'native', format: 'gemini', value: code },
    {
      type: 'media',
      kind: 'image',
      mediaType: 'image/png',
      source: { base64: 'AA' },
      extra: { gemini: { thoughtSignature: 's' } },
    },
  ]);
});

test('a body that is no answer is a failure', () => {
  const kindOf = (body: JsonObject) => {
    const result = openGemini().decodeResult(body);
    return 'kind' in result ? result.kind : 'none';
  };
  assert.equal(kindOf({}), 'garbled');
  assert.equal(kindOf({ candidates: [] }), 'garbled');
  assert.equal(kindOf({ error: { code: 503, message: 'x', status: 'UNAVAILABLE' } }), 'overloaded');
  assert.equal(kindOf(chunkOf([], { finishReason: 'MALFORMED_FUNCTION_CALL' })), 'broken');
});

test(
  'recorded streams: calls without arguments and in pieces',
  { skip: hasRecordings ? false : NO_RECORDINGS },
  () => {
    const text = readFileSync(`${RECORDINGS}/google/google-stream-no-args-tool-call.chunks.txt`, 'utf8');
    const messages = text
      .split('\n')
      .filter((line) => line !== '')
      .map((data) => ({ data }));
    const { blocks, finish, usage } = collect(decodeMessages(messages));
    assert.deepEqual(
      blocks.flatMap((block) => (block.type === 'tool-call' ? [[block.name, block.input]] : [])),
      [
        ['read_theme', { json: '{}' }],
        ['read_screen', { json: '{"id":"A"}' }],
        ['read_screen', { json: '{"id":"B"}' }],
        ['read_screen', { json: '{"id":"C"}' }],
      ],
    );
    assert.equal(finish.reason, 'tool-calls');
    assert.deepEqual([usage?.inputUncached, usage?.outputText, usage?.outputReasoning], [249, 58, 183]);
  },
);
