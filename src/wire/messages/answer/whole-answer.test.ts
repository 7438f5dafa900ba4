import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { collect, createUsage } from '#canonical';
import { isFailure } from '../../contract.ts';
import { messagesOutbound } from '../index.ts';
import {
  MESSAGE_END as END,
  MESSAGE_START as START,
  MESSAGE_STOP as STOP,
  TEXT_BLOCK as text,
  createMessagesTarget,
  decodeMessages,
  endMessage as end,
  openBlock as open,
  readMessage,
  readMessages,
  readPayloads,
  growText as say,
  failureOf,
} from '../../../../test/support/messages-exchange.ts';

/** Without its number. */
const addText = (piece: string): JsonObject => ({
  type: 'content_block_delta',
  delta: { type: 'text_delta', text: piece },
});
const textsOf = (payloads: readonly JsonObject[]): unknown[] =>
  collect(readPayloads([START, ...payloads, ...END])).blocks.map((block) => 'text' in block && block.text);

test('arguments of a tool call are an object, or text that some servers send, or nothing', () => {
  const jsonOf = (input?: JsonObject | string | null) => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'look', ...(input !== undefined && { input }) };
    const [block] = readMessage({
      type: 'message',
      id: 'm',
      content: [call],
      stop_reason: 'tool_use',
    }).blocks;
    return block?.type === 'tool-call' && block.input;
  };
  assert.deepEqual(jsonOf({ a: 1 }), { json: '{"a":1}' });
  assert.deepEqual(jsonOf('{"a":1}'), { json: '{"a":1}' });
  for (const nothing of ['', ' ', null, undefined]) assert.deepEqual(jsonOf(nothing), { json: '{}' });
});

test('an answer that arrives whole in its start is read with its reason, usage, tools and other members', () => {
  const usage = {
    input_tokens: 5,
    output_tokens: 7,
    speed: 'fast',
    server_tool_use: { web_search_requests: 2 },
  };
  const message = {
    id: 'msg_1',
    type: 'message',
    model: 'claude-up',
    content: [{ type: 'text', text: 'Hi' }, { no: 'type' }],
    stop_reason: 'stop_sequence',
    stop_sequence: 'END',
    usage,
    context_management: { applied_edits: [] },
  };
  const events = readPayloads([{ type: 'message_start', message }, STOP]);
  const [start] = events;
  assert.ok(start?.type === 'generation-start' && start.extra);
  assert.deepEqual(start.served, { speed: 'fast' });
  const result = collect(events);
  assert.deepEqual(result.blocks, [{ type: 'text', text: 'Hi' }]);
  assert.deepEqual(result.finish, { reason: 'stop-sequence', raw: 'stop_sequence', stopSequence: 'END' });
  const last = events.at(-1);
  assert.ok(last?.type === 'generation-end' && last.usage?.outputText === 7);
  const grown = collect(readPayloads([{ type: 'message_start', message }, say(0, '!'), STOP]));
  assert.deepEqual(grown.blocks, [...result.blocks, { type: 'text', text: '!' }], 'its blocks are complete');
  assert.deepEqual(result.tools, [{ tool: 'web_search', count: 2 }]);
  assert.deepEqual(result.extra?.messages?.['context_management'], { applied_edits: [] });
  const { usage: _, ...bare } = message;
  const unknown = readPayloads([{ type: 'message_start', message: bare }, STOP]).at(-1);
  assert.ok(unknown?.type === 'generation-end' && unknown.usage === undefined);
});

test('a start without a reason promises no usage: that of the end counts', () => {
  const last = readPayloads([START, end('end_turn'), STOP]).at(-1);
  assert.ok(last?.type === 'generation-end' && last.usage === undefined);
  const whole = collect(readPayloads([START, ...END])).usage;
  assert.deepEqual(whole, createUsage({ inputUncached: 43, outputText: 9 }));
});

test('what comes before its start is garbled, or nothing', () => {
  for (const early of [open(0, text), say(0, 'a'), STOP]) {
    assert.equal(failureOf(readPayloads([early, START, ...END])).kind, 'garbled');
  }
  assert.equal(collect(readPayloads([end('max_tokens'), START, ...END])).finish.reason, 'stop');
  const counted = end('max_tokens', { output_tokens: 3 });
  const last = readPayloads([counted, START, end('end_turn'), STOP]).at(-1);
  assert.ok(last?.type === 'generation-end' && last.usage === undefined);
  const news = { type: 'news', a: 1 };
  const relayed = readPayloads([{ type: 'early' }, { a: 1 }, START, news, { a: 1 }, ...END]).filter(
    ({ type }) => type === 'relay',
  );
  assert.deepEqual(relayed, [{ type: 'relay', format: 'messages', value: news }]);
});

test('events without JSON are skipped where they say nothing, else they end the answer with what they held', () => {
  const pad = 'x'.repeat(3_000);
  const read = (message: { event?: string; data: string }) =>
    readMessages([message, ...[START, ...END].map((payload) => ({ data: JSON.stringify(payload) }))]);
  for (const data of ['', ' ', '[DONE]', ' [DONE] '])
    assert.equal(read({ data }).at(-1)?.type, 'generation-end');
  assert.equal(read({ event: 'ping', data: 'now' }).at(-1)?.type, 'generation-end');
  const garbled = failureOf(read({ data: `<html>${pad}` }));
  assert.deepEqual([garbled.kind, garbled.detail], ['garbled', `<html>${pad}`.slice(0, 2_048)]);
  const failed = failureOf(read({ event: 'error', data: `<html>${pad}` }));
  assert.deepEqual([failed.kind, failed.detail], ['broken', `<html>${pad}`.slice(0, 2_048)]);
});

test('blocks without numbers are those that came last, and a delta may open its block', () => {
  const { index: _, ...unnumbered } = open(0, text);
  assert.deepEqual(textsOf([unnumbered, addText('a'), unnumbered, addText('b')]), ['a', 'b']);
  assert.deepEqual(textsOf([addText('a'), addText('b')]), ['ab']);
  assert.deepEqual(textsOf([say(0, 'a'), say(1, 'b'), unnumbered, say(2, 'c')]), ['a', 'b', 'c']);
  const orphan = {
    type: 'content_block_delta',
    index: 3,
    delta: { type: 'input_json_delta', partial_json: '{' },
  };
  assert.deepEqual(textsOf([orphan, say(0, 'a')]), ['a'], 'a fragment alone says too little');
});

test('a block is closed by the next of its number and by the end', () => {
  const events = readPayloads([START, open(0, text), say(0, 'a'), open(0, text), say(0, 'b'), ...END]);
  assert.deepEqual(
    events.filter(({ type }) => type.startsWith('block-')).map(({ type }) => type),
    ['block-start', 'block-delta', 'block-end', 'block-start', 'block-delta', 'block-end'],
  );
});

test('the sequence that stopped an answer is kept when more of its end arrives', () => {
  const first = { type: 'message_delta', delta: { stop_reason: 'stop_sequence', stop_sequence: 'END' } };
  const more = { type: 'message_delta', delta: {}, usage: { output_tokens: 9 } };
  const { finish } = collect(readPayloads([START, first, more, STOP]));
  assert.deepEqual(finish, { reason: 'stop-sequence', raw: 'stop_sequence', stopSequence: 'END' });
});

test('a whole answer has its usage, tools and other members, and none that it does not report', () => {
  const body = { type: 'message', id: 'm', model: 'claude-up', content: [], stop_reason: 'end_turn' };
  assert.deepEqual(readMessage(body), {
    id: 'm',
    model: 'claude-up',
    blocks: [],
    finish: { reason: 'stop', raw: 'end_turn' },
  });
  const usage = { output_tokens: 7, speed: 'fast', server_tool_use: { web_search_requests: 2 } };
  const full = readMessage({ ...body, usage, container: null, error: {} });
  assert.equal(full.usage?.outputText, 7);
  assert.deepEqual(full.served, { speed: 'fast' });
  assert.deepEqual(full.tools, [{ tool: 'web_search', count: 2 }]);
  assert.ok('container' in (full.extra?.messages ?? {}));
  assert.equal('served' in readMessage({ ...body, usage: { output_tokens: 7 } }), false);
});

test('an error in place of an answer is its failure, and what is no answer is garbled', () => {
  const read = (body: JsonObject) => {
    const result = messagesOutbound.openExchange(decodeMessages(), createMessagesTarget()).decodeResult(body);
    assert.ok(isFailure(result));
    return result;
  };
  const error = { type: 'overloaded_error', message: 'Sorry' };
  assert.equal(read({ type: 'error', error }).kind, 'overloaded');
  assert.equal(read({ error }).kind, 'overloaded');
  assert.notEqual(read({ type: 'error' }).kind, 'garbled');
  const body = { text: 'x'.repeat(3_000) };
  assert.deepEqual(read(body).detail, JSON.stringify(body).slice(0, 2_048));
  assert.equal(read(body).kind, 'garbled');
});

test('images of other providers’ models are media where they can be read', () => {
  const read = (source: unknown) => {
    const content = [{ type: 'image', source }] as JsonObject[];
    return readMessage({ type: 'message', id: 'm', content, stop_reason: 'end_turn' }).blocks[0];
  };
  const url = 'https://a/b.png';
  assert.deepEqual(read({ type: 'url', url }), { type: 'media', kind: 'image', source: { url } });
  const base64 = { type: 'base64', media_type: 'image/png', data: 'AA==' };
  assert.deepEqual(read(base64), {
    type: 'media',
    kind: 'image',
    mediaType: 'image/png',
    source: { base64: 'AA==' },
  });
  const odd = [
    undefined,
    null,
    'x',
    { type: 'url' },
    {
      type: 'file',
      url,
    },
    {
      ...base64,
      type: 'file',
    },
    {
      ...base64,
      data: 1,
    },
    {
      ...base64,
      media_type: 1,
    },
  ];
  for (const source of odd) assert.equal(read(source)?.type, 'native');
});

test('citations and signatures are read, and the ways to have none are kept', () => {
  const read = (block: JsonObject) =>
    readMessage({ type: 'message', id: 'm', content: [block], stop_reason: 'end_turn' }).blocks[0];
  const cited = { type: 'web_search_result_location', url: 'https://a', title: 'A', cited_text: 'a' };
  const one = read({ type: 'text', text: 'a', citations: [cited] });
  assert.ok(one?.type === 'text' && one.annotations?.length === 1 && one.extra === undefined);
  for (const citations of [null, []]) {
    const none = { type: 'text', text: 'a', extra: { messages: { citations } } };
    assert.deepEqual(read({ type: 'text', text: 'a', citations }), none);
  }
  assert.deepEqual(read({ type: 'text', text: 'a' }), { type: 'text', text: 'a' });
  const thinking = { type: 'thinking', thinking: 'a' };
  const signatureOf = (signature?: JsonObject | string) => {
    const block = read({ ...thinking, ...(signature !== undefined && { signature }) });
    return block?.type === 'reasoning' && 'signature' in block ? block.signature : 'none';
  };
  assert.deepEqual(['s', '', {}, undefined].map(signatureOf), ['s', 'none', 'none', 'none']);
});
