import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '#base';
import type { GenerationEvent } from '#canonical';
import type { UpstreamFailure } from '#errors';
import {
  collectPayloads,
  decodeBody,
  decodeChat,
  decodePayloads,
  openChat,
  toChunk,
  toLastChunk,
  callsOf,
  toolChunk,
} from '../../../../test/support/chat-exchange.ts';

const STOP = toLastChunk('stop');
const CALLS = toLastChunk('tool_calls');

function failureOf(events: GenerationEvent[]): UpstreamFailure {
  const last = events.at(-1);
  assert.ok(last?.type === 'generation-error');
  return last.failure;
}

test('[D-6] a finish reason is remembered, and the end waits for the usage behind it', () => {
  const events = decodePayloads([
    toChunk({ role: 'assistant', content: 'Hi' }),
    STOP,
    { id: 'chatcmpl-1', choices: [], usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } },
    '[DONE]',
  ]);
  assert.deepEqual(
    events.map((event) => event.type),
    ['generation-start', 'block-start', 'block-delta', 'block-end', 'generation-end'],
  );
  const end = events.at(-1);
  assert.ok(end?.type === 'generation-end');
  assert.deepEqual(end.finish, { reason: 'stop', raw: 'stop' });
  assert.equal(end.usage?.inputUncached, 3);
});

test('nothing follows the end, whatever an upstream sends after [DONE]', () => {
  const events = decodePayloads([toChunk({ content: 'Hi' }), STOP, '[DONE]', toChunk({ content: 'more' })]);
  assert.equal(events.filter((event) => event.type === 'generation-end').length, 1);
  assert.equal(events.at(-1)?.type, 'generation-end');
});

test('[D-58] a stream cut without a finish reason is an error, never an end', () => {
  assert.equal(failureOf(decodePayloads([toChunk({ content: 'Half an' })])).kind, 'broken');
  assert.equal(failureOf(decodePayloads([toChunk({ content: 'Half an' }), '[DONE]'])).kind, 'broken');
  assert.equal(failureOf(decodePayloads([])).kind, 'broken');
});

test('a close after a finish reason ends the stream even without [DONE]', () => {
  assert.equal(decodePayloads([toChunk({ content: 'Hi' }), STOP]).at(-1)?.type, 'generation-end');
});

test("Azure's first chunk with empty id and choices opens nothing", () => {
  const azure = {
    id: '',
    object: '',
    model: '',
    created: 0,
    choices: [],
    prompt_filter_results: [{ prompt_index: 0 }],
  };
  const events = decodePayloads([azure, toChunk({ role: 'assistant', content: 'Hi' }), STOP]);
  const [start] = events;
  assert.ok(start?.type === 'generation-start');
  assert.equal(start.id, 'chatcmpl-1');
  assert.equal(start.model, 'upstream-model');
  const end = events.at(-1);
  assert.ok(end?.type === 'generation-end');
  assert.deepEqual(end.extra?.chat?.['prompt_filter_results'], [{ prompt_index: 0 }]);
});

test('[D-23] a tool call in the second choice is part of the answer', () => {
  const copilot = {
    choices: [
      { index: 0, message: { role: 'assistant', content: 'Let me look.' }, finish_reason: 'stop' },
      {
        index: 1,
        message: { tool_calls: [{ id: 'a', type: 'function', function: { name: 'one', arguments: '{}' } }] },
        finish_reason: 'tool_calls',
      },
    ],
  };
  const { blocks, finish } = decodeBody(copilot);
  assert.deepEqual(
    blocks.map((block) => block.type),
    ['text', 'tool-call'],
  );
  assert.equal(finish.reason, 'tool-calls');
  const streamed = collectPayloads([
    toChunk({ content: 'Let me look.' }),
    {
      ...toolChunk(),
      choices: [{ index: 1, delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'one' } }] } }],
    },
    CALLS,
  ]);
  assert.equal(streamed.blocks.length, 2);
});

test('[D-24] stop beside tool calls means tool calls', () => {
  const chunk = toolChunk({ index: 0, id: 'a', function: { name: 'one', arguments: '{}' } });
  assert.equal(collectPayloads([chunk, STOP]).finish.reason, 'tool-calls');
});

test('[D-25] the stop sequence that vLLM reports is passed on; a number or another value is not', () => {
  const request = decodeChat({ stop: ['END'] });
  const finishOf = (stopReason: JsonValue) => {
    const choice = { index: 0, message: { content: 'x' }, finish_reason: 'stop', stop_reason: stopReason };
    const result = openChat(request).decodeResult({ choices: [choice] });
    return 'finish' in result ? result.finish : undefined;
  };
  assert.deepEqual(finishOf('END'), { reason: 'stop-sequence', raw: 'stop', stopSequence: 'END' });
  assert.equal(finishOf(151645)?.reason, 'stop');
  assert.equal(finishOf('end_turn')?.reason, 'stop');
});

test('[D-26] arguments cut at the limit are passed on unchanged with finish reason length', () => {
  const chunk = toolChunk({ index: 0, id: 'a', function: { name: 'one', arguments: '{"x": "ha' } });
  const result = collectPayloads([chunk, toLastChunk('length')]);
  assert.equal(result.finish.reason, 'length');
  assert.equal(callsOf([chunk, toLastChunk('length')])[0]?.json, '{"x": "ha');
});

test('every finish reason is decoded', () => {
  const words: Record<string, string> = {
    stop: 'stop',
    STOP: 'stop',
    eos: 'stop',
    end_turn: 'stop',
    length: 'length',
    model_length: 'context-window',
    tool_calls: 'stop',
    content_filter: 'content-filter',
    'content-filter': 'content-filter',
    sensitive: 'content-filter',
    something_new: 'unknown',
  };
  for (const [word, reason] of Object.entries(words)) {
    assert.equal(collectPayloads([toChunk({ content: 'x' }), toLastChunk(word)]).finish.reason, reason, word);
  }
});

test('a finish reason that reports a failure ends in an error', () => {
  const kinds = ['error', 'network_error', 'abort', 'insufficient_system_resource'].map(
    (word) => failureOf(decodePayloads([toChunk({ content: 'x' }), toLastChunk(word), '[DONE]'])).kind,
  );
  assert.deepEqual(kinds, ['broken', 'broken', 'broken', 'overloaded']);
});

test('[D-43] reasoning is read from reasoning_content, reasoning, details and parts', () => {
  const deltas: JsonObject[] = [
    { reasoning_content: 'think' },
    { reasoning: 'think' },
    { reasoning_details: [{ type: 'reasoning.text', text: 'think', signature: 'x' }] },
    { reasoning: 'think', reasoning_details: [{ type: 'reasoning.text', text: 'think' }] },
    { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'think' }] }] },
    { content: [{ type: 'thinking', thinking: 'think' }] },
  ];
  for (const delta of deltas) {
    const { blocks } = collectPayloads([toChunk(delta), toChunk({ content: 'said' }), STOP]);
    assert.deepEqual(blocks, [
      { type: 'reasoning', text: 'think' },
      { type: 'text', text: 'said' },
    ]);
  }
});

test("an upstream's own reasoning details are kept for clients of the same format", () => {
  const first = { type: 'reasoning.encrypted', data: 'abc', format: 'openai-responses-v1' };
  const second = { type: 'reasoning.encrypted', data: 'def', format: 'openai-responses-v1' };
  const { extra } = collectPayloads([
    toChunk({ reasoning_details: [first] }),
    toChunk({ reasoning_details: [second] }),
    STOP,
  ]);
  assert.deepEqual(extra?.chat?.['message'], { reasoning_details: [first, second] });
});

test('a refusal is a refused text and a content filter finish', () => {
  const result = collectPayloads([toChunk({ refusal: 'I will ' }), toChunk({ refusal: 'not.' }), STOP]);
  assert.deepEqual(result.blocks, [{ type: 'text', text: 'I will not.', refusal: true }]);
  assert.equal(result.finish.reason, 'content-filter');
});

test('citations are attached to the text they arrived with', () => {
  const citation = {
    type: 'url_citation',
    url_citation: { url: 'https://a', title: 'A', start_index: 0, end_index: 2 },
  };
  const { blocks } = collectPayloads([
    toChunk({ content: 'Hi' }),
    toChunk({ annotations: [citation] }),
    STOP,
  ]);
  assert.deepEqual(blocks, [
    { type: 'text', text: 'Hi', annotations: [{ format: 'chat', value: citation }] },
  ]);
  const early = collectPayloads([toChunk({ annotations: [citation] }), toChunk({ content: 'Hi' }), STOP]);
  assert.deepEqual(early.blocks, blocks);
});

test('log probabilities grow over the stream', () => {
  const logprobs = (token: string): JsonObject => ({ logprobs: { content: [{ token, logprob: -1 }] } });
  const { extra } = collectPayloads([
    toChunk({ content: 'a' }, logprobs('a')),
    toChunk({ content: 'b' }, logprobs('b')),
    STOP,
  ]);
  const tokens = [
    { token: 'a', logprob: -1 },
    { token: 'b', logprob: -1 },
  ];
  assert.deepEqual(extra?.chat?.['choice'], { logprobs: { content: tokens } });
});

test('[D-59] [D-63] an error inside a stream ends it with its kind, and is the only event if it comes first', () => {
  const overloaded = { error: { message: 'Overloaded', type: 'overloaded_error', code: 529 } };
  assert.deepEqual(
    decodePayloads([overloaded]).map((event) => event.type),
    ['generation-error'],
  );
  const late = decodePayloads([toChunk({ content: 'x' }), overloaded, STOP]);
  assert.equal(failureOf(late).kind, 'overloaded');
  const variants: [JsonValue, string][] = [
    [{ error: 'it broke' }, 'it broke'],
    [{ error: { message: 'slow down', code: 429 } }, 'slow down'],
    [[{ error: { code: 429, message: 'quota', status: 'RESOURCE_EXHAUSTED' } }], 'quota'],
    [{ detail: 'no such model' }, 'no such model'],
    [{ object: 'error', message: 'bad', code: 400 }, 'bad'],
  ];
  for (const [payload, message] of variants)
    assert.equal(failureOf(decodePayloads([payload])).message, message);
});

test('a named error event is an error whatever it holds', () => {
  const messages = ['{"message":"no"}', 'plain words', '{}'].map((data) => {
    const decoder = openChat(decodeChat({})).createStreamDecoder();
    const events = decoder.push({ event: 'error', data });
    assert.deepEqual(decoder.close(), []);
    return failureOf(events).message;
  });
  assert.deepEqual(messages.slice(0, 2), ['no', 'plain words']);
});

test('what is not JSON is garbled, and the operator sees it', () => {
  for (const data of ['<html>', '{"id":', '42', '"text"', 'null']) {
    const { kind, detail } = failureOf(decodePayloads([data]));
    assert.deepEqual([kind, detail], ['garbled', data]);
  }
});

test('a whole answer as the only chunk of a stream is read', () => {
  const { blocks } = collectPayloads([{ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] }]);
  assert.deepEqual(blocks, [{ type: 'text', text: 'Hi' }]);
});

test('a body that is no answer is a failure', () => {
  const exchange = openChat(decodeChat({}));
  for (const body of [{}, { choices: [] }, { choices: 'x' }, { choices: [null] }] as JsonObject[]) {
    const result = exchange.decodeResult(body);
    assert.ok('kind' in result && result.kind === 'garbled');
  }
  const refused = exchange.decodeResult({ error: { message: 'too long', type: 'invalid_request_error' } });
  assert.ok('kind' in refused && refused.kind === 'request-refused' && refused.message === 'too long');
});

test('null content, null refusal and a lone role create no block', () => {
  const { blocks } = decodeBody({
    choices: [{ message: { role: 'assistant', content: null, refusal: null }, finish_reason: 'stop' }],
  });
  assert.deepEqual(blocks, []);
});
