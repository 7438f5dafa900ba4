import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChatRequest, createMessagesTarget } from '../../../test/support/messages-exchange.ts';
import { EncodeContext } from '../encode-context.ts';
import { encodeTools } from './encode-tools.ts';

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
