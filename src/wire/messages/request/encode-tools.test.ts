import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { createChatRequest, createMessagesTarget } from '../../../../test/support/messages-exchange.ts';
import { EncodeContext } from '../../request/encode-context.ts';
import { encodeToolChoice, encodeTools } from './encode-tools.ts';

test('only deferred tools are sent as deferred, and only to providers that can search them', () => {
  const tools = [
    { type: 'function' as const, name: 'deferred', deferLoading: true as const },
    { type: 'function' as const, name: 'plain' },
  ];
  const encode = (toolSearch: boolean) =>
    encodeTools(new EncodeContext(createChatRequest({ tools }), createMessagesTarget({ toolSearch }))).map(
      (tool) => tool.defer_loading,
    );
  assert.deepEqual(encode(true), [true, undefined]);
  assert.deepEqual(encode(false), [undefined, undefined]);
});

test('every schema is sent as one of an object', () => {
  const properties = { a: { type: 'string' } };
  const send = (inputSchema: JsonObject) => {
    const tools = [{ type: 'function' as const, name: 'f', inputSchema }];
    const [tool] = encodeTools(new EncodeContext(createChatRequest({ tools }), createMessagesTarget()));
    return tool?.input_schema;
  };
  assert.deepEqual(send({ properties }), { type: 'object', properties });
  const complete = { type: 'object', properties };
  assert.equal(send(complete), complete, 'a complete one as it is');
});

test('a choice among allowed tools forces a call only where it asks for one and may', () => {
  const choose = (mode: string, isThinking: boolean) => {
    const value = { type: 'allowed_tools', allowed_tools: { mode, tools: [] } };
    const request = createChatRequest({ toolChoice: { type: 'native', format: 'chat', value } });
    return encodeToolChoice(new EncodeContext(request, createMessagesTarget()), isThinking);
  };
  assert.deepEqual(choose('required', false), { type: 'any' });
  assert.deepEqual(choose('required', true), { type: 'auto' });
  assert.deepEqual(choose('auto', false), { type: 'auto' });
});
