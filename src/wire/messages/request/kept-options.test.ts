import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import {
  createChatRequest,
  createMessagesTarget,
  decodeMessages,
  encodeFor,
} from '../../../../test/support/messages-exchange.ts';

test('a request streams only if it asks for it, and its stream reports the usage', () => {
  const { stream, streamUsage } = decodeMessages();
  assert.deepEqual([stream, streamUsage, decodeMessages({ stream: true }).stream], [false, true, true]);
});

test('an answer that a later request may refer to is kept', () => {
  const isKept = (fields: JsonObject) => decodeMessages(fields).isAnswerKept;
  assert.equal(isKept({ thread: { type: 'new' } }), true);
  assert.equal(isKept({ diagnostics: {} }), true);
  assert.deepEqual([isKept({}), isKept({ thread: null })], [undefined, undefined]);
});

test('a choice of tools is read, and an unknown one is kept', () => {
  const read = (tool_choice: JsonObject) => {
    const tools = [{ name: 'f', input_schema: { type: 'object' } }];
    const { toolChoice, parallelToolCalls } = decodeMessages({ tools, tool_choice });
    return [toolChoice, parallelToolCalls];
  };
  for (const type of ['auto', 'any', 'none']) assert.deepEqual(read({ type }), [{ type }, undefined]);
  assert.deepEqual(read({ type: 'tool', name: 'f', disable_parallel_tool_use: true }), [
    { type: 'tool', name: 'f' },
    false,
  ]);
});

test('at most four cache marks are sent, wherever they stand: the last ones', () => {
  const cache = {};
  const marks = (value: unknown): number => JSON.stringify(value).split('cache_control').length - 1;
  const request = createChatRequest({
    tools: [{ type: 'function', name: 'f', inputSchema: { type: 'object' }, cache }],
    system: [{ type: 'text', text: 'Be brief.', cache }],
    turns: [
      { role: 'user', blocks: [{ type: 'text', text: 'a', cache }] },
      { role: 'assistant', blocks: [{ type: 'tool-call', id: 'c', name: 'f', input: { value: {} } }] },
      {
        role: 'user',
        blocks: [
          {
            type: 'tool-result',
            callId: 'c',
            blocks: [
              { type: 'text', text: 'x', cache },
              { type: 'text', text: 'y', cache },
            ],
            isError: false,
          },
          { type: 'text', text: 'b', cache },
        ],
      },
    ],
  });
  const { tools, system, messages } = encodeFor(
    request,
    createMessagesTarget({ cacheMarks: 'cache_control' }),
  );
  assert.deepEqual([tools, system, messages].map(marks), [0, 0, 4]);
});
