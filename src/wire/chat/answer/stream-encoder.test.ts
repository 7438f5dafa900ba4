import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, type SseMessage, isJsonObject, parseJsonObject } from '#base';
import { type GenerationEvent, type GenerationResult, createUsage, toEvents } from '#canonical';
import { Compile } from 'typebox/compile';
import { createReplyContext } from '../../../../test/support/chat-exchange.ts';
import { chatInbound } from '../inbound.ts';
import { openaiErrorSchema } from '../../errors/openai-error.ts';
import { chatResponseSchema } from './answer-schema.ts';
import { GatewayError } from '#errors';

const RESULT: GenerationResult = {
  id: 'upstream-1',
  model: 'upstream-model',
  blocks: [
    { type: 'reasoning', text: 'think', signature: 'sig', issuer: 'anthropic' },
    { type: 'text', text: 'Hi "you"\n' },
    { type: 'tool-call', id: 'a', name: 'f', input: { value: {} } },
    { type: 'tool-call', id: 'b', name: 'g', input: { json: '{"x":1}' } },
  ],
  finish: { reason: 'tool-calls' },
  usage: createUsage({
    inputUncached: 5,
    inputCacheRead: 3,
    inputCacheWrite1h: 2,
    outputText: 4,
    outputReasoning: 6,
  }),
};

const WITH_USAGE = { stream: true, stream_options: { include_usage: true } };

function encode(
  events: Iterable<GenerationEvent>,
  fields: JsonObject = WITH_USAGE,
  describe?: () => { costUsd: number; metadata?: JsonObject },
): SseMessage[] {
  const context = { ...createReplyContext(fields), ...(describe && { describe }) };
  const encoder = chatInbound.createStreamEncoder(context);
  return [...events].flatMap((event) => encoder.push(event));
}

function parse(frames: SseMessage[]): JsonObject[] {
  return frames
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => {
      const chunk = parseJsonObject(data);
      assert.ok(chunk, data);
      return chunk;
    });
}

function deltasOf(frames: SseMessage[]): JsonObject[] {
  return parse(frames).flatMap(({ choices }) => {
    const [choice] = Array.isArray(choices) ? choices : [];
    return isJsonObject(choice) && isJsonObject(choice['delta']) ? [choice['delta']] : [];
  });
}

test('a stream is a role, the deltas, the finish, the usage and [DONE], all as data frames', () => {
  const frames = encode(toEvents(RESULT));
  assert.ok(frames.every(({ event }) => event === undefined));
  assert.deepEqual(deltasOf(frames), [
    { role: 'assistant', content: '', refusal: null },
    { reasoning_details: [{ type: 'reasoning.text', text: '', format: 'sluice/anthropic', index: 0 }] },
    { reasoning_content: 'think' },
    {
      reasoning_details: [
        { type: 'reasoning.text', text: 'think', signature: 'sig', format: 'sluice/anthropic', index: 0 },
      ],
    },
    { content: 'Hi "you"\n' },
    { tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
    { tool_calls: [{ index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '' } }] },
    { tool_calls: [{ index: 1, function: { arguments: '{"x":1}' } }] },
    {},
  ]);
  const chunks = parse(frames);
  assert.deepEqual(chunks.at(-2)?.['choices'], [
    { index: 0, delta: {}, logprobs: null, finish_reason: 'tool_calls' },
  ]);
  assert.deepEqual(chunks.at(-1)?.['choices'], []);
  assert.deepEqual(chunks.at(-1)?.['usage'], {
    prompt_tokens: 10,
    completion_tokens: 10,
    total_tokens: 20,
    prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 2, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 6, audio_tokens: 0 },
  });
  assert.ok(chunks.slice(0, -1).every((chunk) => chunk['usage'] === null));
  assert.equal(frames.at(-1)?.data, '[DONE]');
  for (const chunk of chunks) {
    assert.deepEqual(
      [chunk['id'], chunk['object'], chunk['created'], chunk['model']],
      ['upstream-1', 'chat.completion.chunk', 1_700_000_000, 'client-model'],
    );
  }
});

test('usage is sent only if it was requested', () => {
  const frames = encode(toEvents(RESULT), { stream: true });
  assert.ok(parse(frames).every((chunk) => !('usage' in chunk)));
  assert.equal(frames.at(-1)?.data, '[DONE]');
});

test('[D-17] a call that streams no arguments has {}', () => {
  const frames = encode([
    { type: 'generation-start', id: 'x', model: 'm' },
    { type: 'block-start', index: 0, block: { type: 'tool-call', id: 'a', name: 'f', input: { json: '' } } },
    { type: 'block-end', index: 0 },
  ]);
  assert.deepEqual(deltasOf(frames).at(-1), { tool_calls: [{ index: 0, function: { arguments: '{}' } }] });
});

test('[D-58] an error is the last frame, and no [DONE] follows it', () => {
  const failure = { kind: 'broken', message: 'the provider cut its answer short' } as const;
  const events: GenerationEvent[] = [
    { type: 'generation-start', id: 'x', model: 'm' },
    { type: 'generation-error', failure },
    { type: 'generation-end', finish: { reason: 'stop' } },
  ];
  const frames = encode(events);
  assert.equal(frames.length, 2);
  assert.deepEqual(parseJsonObject(frames[1]?.data ?? ''), {
    error: { message: failure.message, type: 'api_error', param: '', code: 'upstream_broken' },
  });
});

test('an answer without an id gets the gateway’s', () => {
  assert.equal(parse(encode(toEvents({ ...RESULT, id: '' })))[0]?.['id'], 'chatcmpl-answer');
  const body = chatInbound.encodeResult({ ...RESULT, id: '' }, createReplyContext());
  assert.equal(body['id'], 'chatcmpl-answer');
});

test('every finish has a value of the format', () => {
  const words = {
    stop: 'stop',
    'stop-sequence': 'stop',
    length: 'length',
    'context-window': 'length',
    'content-filter': 'content_filter',
    pause: 'stop',
    unknown: 'stop',
  } as const;
  for (const [reason, word] of Object.entries(words)) {
    const result = { ...RESULT, blocks: [], finish: { reason: reason as keyof typeof words } };
    const { choices } = chatInbound.encodeResult(result, createReplyContext());
    assert.ok(Array.isArray(choices) && isJsonObject(choices[0]));
    assert.equal(choices[0]['finish_reason'], word);
  }
});

test('[D-24] an answer with calls never ends with stop', () => {
  const { choices } = chatInbound.encodeResult(
    { ...RESULT, finish: { reason: 'stop' } },
    createReplyContext(),
  );
  assert.ok(
    Array.isArray(choices) && isJsonObject(choices[0]) && choices[0]['finish_reason'] === 'tool_calls',
  );
});

test('fields of an upstream of the same format are returned to the client', () => {
  const citations = ['https://a'];
  const extra = {
    chat: {
      citations,
      system_fingerprint: 'fp',
      choice: { logprobs: { content: [] } },
      message: { images: [1] },
    },
  };
  const result = { ...RESULT, extra };
  const body = chatInbound.encodeResult(result, createReplyContext());
  assert.equal(body['citations'], citations);
  assert.match(JSON.stringify(body['choices']), /"images":\[1\].*"logprobs":\{"content":\[\]\}/);
  const frames = encode(toEvents(result));
  assert.ok(deltasOf(frames).some((delta) => 'images' in delta));
  const finish = parse(frames).at(-2);
  assert.deepEqual(finish?.['citations'], citations);
  assert.match(JSON.stringify(finish['choices']), /"logprobs":\{"content":\[\]\}/);
});

test('cost and metadata are computed once, at the end', () => {
  let asked = 0;
  const describe = () => {
    asked += 1;
    return { costUsd: 0.25, metadata: { request_id: 'req_1' } };
  };
  const last = parse(encode(toEvents(RESULT), WITH_USAGE, describe)).at(-1);
  assert.equal(asked, 1);
  assert.ok(isJsonObject(last?.['usage']) && last['usage']['cost'] === 0.25);
  assert.deepEqual(last['metadata'], { request_id: 'req_1' });
  const silent = parse(encode(toEvents(RESULT), { stream: true }, describe)).at(-1);
  assert.deepEqual(silent?.['metadata'], { request_id: 'req_1' });
  const body = chatInbound.encodeResult(RESULT, { ...createReplyContext(), describe });
  assert.ok(isJsonObject(body['usage']) && body['usage']['cost'] === 0.25);
});

test('a JSON answer has the shape the OpenAPI document promises', () => {
  const check = Compile(chatResponseSchema);
  const refused: GenerationResult = { ...RESULT, blocks: [{ type: 'text', text: 'no', refusal: true }] };
  for (const result of [RESULT, refused, { ...RESULT, blocks: [] }]) {
    const body = chatInbound.encodeResult(result, createReplyContext());
    assert.deepEqual([...check.Errors(body)], []);
  }
});

test('citations with and without a text are both sent', () => {
  const value = { type: 'url_citation' };
  const blocks: GenerationResult['blocks'] = [
    { type: 'text', text: 'a', annotations: [{ format: 'chat', value }] },
  ];
  const extra = { chat: { message: { annotations: [{ type: 'stray' }] } } };
  const body = chatInbound.encodeResult({ ...RESULT, blocks, extra }, createReplyContext());
  assert.match(JSON.stringify(body), /"annotations":\[\{"type":"url_citation"\},\{"type":"stray"\}\]/);
});

test('content is null beside calls or a refusal only', () => {
  const contentOf = (blocks: GenerationResult['blocks']) => {
    const { choices } = chatInbound.encodeResult({ ...RESULT, blocks }, createReplyContext());
    const [choice] = Array.isArray(choices) ? choices : [];
    return isJsonObject(choice) && isJsonObject(choice['message']) ? choice['message']['content'] : undefined;
  };
  assert.equal(contentOf([]), '');
  assert.equal(contentOf(RESULT.blocks.slice(2)), null);
  assert.equal(contentOf([{ type: 'text', text: 'no', refusal: true }]), null);
});

test('citations of another format keep their address and the place of their text', () => {
  const value = { type: 'web_search_result_location', url: 'https://a', title: 'A', cited_text: 'x' };
  const blocks: GenerationResult['blocks'] = [
    { type: 'text', text: 'abc' },
    {
      type: 'text',
      text: 'de',
      annotations: [
        { format: 'messages', value },
        { format: 'messages', value: { type: 'char_location' } },
      ],
    },
  ];
  assert.match(
    JSON.stringify(chatInbound.encodeResult({ ...RESULT, blocks }, createReplyContext())),
    /"annotations":\[\{"type":"url_citation","url_citation":\{"url":"https:\/\/a","title":"A","start_index":3,"end_index":5\}\}\]/,
  );
});

test('an error has four members, and an upstream’s message takes precedence', () => {
  const own = chatInbound.encodeError(
    new GatewayError('invalid_request', 'n: must be 1', { param: 'n' }),
    'req_1',
  );
  assert.deepEqual(own, {
    error: { message: 'n: must be 1', type: 'invalid_request_error', param: 'n', code: 'invalid_request' },
  });
  const passed = new GatewayError('request_refused', 'too long', {
    upstreamType: 'bad',
    upstreamCode: 'long',
    param: 'm',
  });
  assert.deepEqual(chatInbound.encodeError(passed, 'req_1'), {
    error: { message: 'too long', type: 'bad', param: 'm', code: 'long' },
  });
  const check = Compile(openaiErrorSchema);
  assert.ok(
    check.Check(chatInbound.encodeError(new GatewayError('internal_error', 'internal error'), 'req_1')),
  );
});

test('[D-66] the keep-alive is a comment', () => {
  assert.equal(chatInbound.createStreamEncoder(createReplyContext()).ping(), ': ping\n\n');
});
