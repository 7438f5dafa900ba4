import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { Block, Dialect, Tool } from '#canonical';
import {
  createReplyContext,
  decodeChat,
  encodeChat,
  CLOSED_SCHEMA as CLOSED,
} from '../../../test/support/chat-exchange.ts';
import { createForeignRequest } from '../../../test/support/foreign-request.ts';
import { chatInbound } from './inbound.ts';

const send = (tool: Tool, dialect: Partial<Dialect> = {}): unknown => {
  const { tools } = encodeChat(createForeignRequest({ tools: [tool] }), dialect);
  return Array.isArray(tools) && tools[0];
};

test('tools are sent with what describes them, and without what they lack', () => {
  const named = { type: 'function', name: 'f', inputSchema: CLOSED } as const;
  const sent = (more: JsonObject = {}) => ({
    type: 'function',
    function: { name: 'f', ...more, parameters: CLOSED },
  });
  assert.deepEqual(send(named), sent());
  assert.deepEqual(send({ ...named, description: 'An f.' }), sent({ description: 'An f.' }));
  const custom = {
    type: 'custom',
    name: 'c',
    format: { type: 'grammar', syntax: 'lark', definition: 'x' },
  } as const;
  const format = { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } };
  assert.deepEqual(send({ ...custom, description: 'A c.' }, { customTools: true }), {
    type: 'custom',
    custom: { name: 'c', description: 'A c.', format },
  });
  assert.deepEqual(send({ type: 'custom', name: 'c' }, { customTools: true }), {
    type: 'custom',
    custom: { name: 'c' },
  });
});

test('strict is a Chat caller’s own, another’s only where the schema allows it', () => {
  const strictOf = (strict: boolean, format: 'chat' | 'messages', inputSchema: JsonObject = CLOSED) => {
    const request = createForeignRequest({
      tools: [{ type: 'function', name: 'f', inputSchema, strict }],
      origin: { format, body: { functions: [] } },
    });
    const { tools } = encodeChat(request, { strictTools: true });
    return JSON.stringify(tools).match(/"strict":(true|false)/)?.[1];
  };
  const open = { type: 'object', properties: {} };
  assert.deepEqual([strictOf(true, 'chat', open), strictOf(false, 'chat')], ['true', 'false']);
  assert.deepEqual([strictOf(true, 'messages'), strictOf(true, 'messages', open)], ['true', undefined]);
  assert.equal(strictOf(false, 'messages'), undefined);
});

test('a choice among allowed tools is renamed as far as it can be read', () => {
  const long = 'f'.repeat(70);
  const allow = (allowed_tools: unknown) => {
    const value = { type: 'allowed_tools', allowed_tools } as JsonObject;
    const request = createForeignRequest({
      tools: [{ type: 'function', name: long }],
      toolChoice: { type: 'native', format: 'chat', value },
    });
    return (encodeChat(request)['tool_choice'] as JsonObject | undefined)?.['allowed_tools'];
  };
  const entry = (name: unknown) => ({ type: 'function', function: { name } });
  const others = [5, { type: 'custom' }, entry(5)];
  const sent = allow({ mode: 'auto', tools: [entry(long), ...others] }) as { tools: unknown[] };
  assert.doesNotMatch(JSON.stringify(sent), new RegExp(long));
  assert.deepEqual(sent.tools.slice(1), others);
  for (const odd of [{ mode: 'auto' }, 'text']) assert.deepEqual(allow(odd), odd);
});

test('a signature of Google’s goes back to Google alone', () => {
  const signed = { extra_content: { google: { thought_signature: 'c2ln' } }, other: 1 };
  const call: Block = {
    type: 'tool-call',
    id: 'a',
    name: 'f',
    input: { value: {} },
    extra: { chat: signed },
  };
  const thought: Block = { type: 'reasoning', text: '', signature: 'c2ln', issuer: 'google' };
  const callSent = (issuer: string, ...blocks: Block[]) => {
    const request = createForeignRequest({ turns: [{ role: 'assistant', blocks }] });
    const { messages } = encodeChat(request, { issuer });
    const [message] = messages as { tool_calls: JsonObject[] }[];
    const { extra_content: content, other } = message?.tool_calls[0] ?? {};
    return [content, other];
  };
  assert.deepEqual(callSent('google', call), [signed.extra_content, 1]);
  assert.deepEqual(callSent('openai', call), [undefined, 1]);
  const { extra: _, ...plain } = call;
  assert.deepEqual(callSent('google', thought, plain), [signed.extra_content, undefined]);
  assert.deepEqual(callSent('openai', thought, plain), [undefined, undefined]);
});

test('a whole answer has the first call alone for a client of the deprecated calls, and custom calls as text', () => {
  const encode = (blocks: Block[], fields: JsonObject = {}) => {
    const result = { id: 'x', model: 'm', blocks, finish: { reason: 'tool-calls' } } as const;
    const { choices } = chatInbound.encodeResult(result, createReplyContext(fields));
    const [choice] = choices as { message: JsonObject }[];
    return choice?.message;
  };
  const call = (name: string): Block => ({ type: 'tool-call', id: name, name, input: { json: '{}' } });
  const legacy = encode([call('f'), call('g')], { functions: [{ name: 'f' }] });
  assert.deepEqual(legacy?.['function_call'], { name: 'f', arguments: '{}' });
  assert.equal('tool_calls' in legacy, false);
  const none = encode([{ type: 'text', text: 'Hi' }], { functions: [{ name: 'f' }] });
  assert.equal(none && 'function_call' in none, false);
  const custom: Block = { type: 'tool-call', id: 'c', name: 'c', input: { json: 'free' }, custom: true };
  assert.deepEqual(encode([custom])?.['tool_calls'], [
    { id: 'c', type: 'custom', custom: { name: 'c', input: 'free' } },
  ]);
  const modern = encode([call('f')]);
  assert.equal(modern && 'reasoning_details' in modern, false);
});

test('a request of the deprecated functions is answered by calls without parallel ones', () => {
  const request = decodeChat({ functions: [{ name: 'f' }] });
  assert.deepEqual([request.legacyCalls, request.parallelToolCalls], [true, false]);
});
