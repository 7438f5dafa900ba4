import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChatRequest, createMessagesTarget } from '../../../test/support/messages-exchange.ts';
import { ToolNames } from '../tool-names.ts';
import { encodeTools } from './encode-tools.ts';

test('only deferred tools are sent as deferred, and only to providers that can search them', () => {
  const tools = [
    { type: 'function' as const, name: 'deferred', deferLoading: true as const },
    { type: 'function' as const, name: 'plain' },
  ];
  const encode = (toolSearch: boolean) =>
    encodeTools(createChatRequest({ tools }), createMessagesTarget({ toolSearch }), new ToolNames(64)).map(
      (tool) => tool['defer_loading'],
    );
  assert.deepEqual(encode(true), [true, undefined]);
  assert.deepEqual(encode(false), [undefined, undefined]);
});
