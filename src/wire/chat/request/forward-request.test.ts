import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { Dialect } from '#canonical';
import { decodeChat, encodeChat } from '../../../../test/support/chat-exchange.ts';

test('only what the dialect does not support is rewritten', () => {
  const long = 'f'.repeat(65);
  const call = (id: string, name: string, args: string): JsonObject => ({
    messages: [
      { role: 'assistant', tool_calls: [{ id, type: 'function', function: { name, arguments: args } }] },
      { role: 'tool', tool_call_id: id, content: 'x' },
    ],
  });
  const assistantWith = (fields: JsonObject): JsonObject => ({
    messages: [
      { role: 'assistant', content: 'a', ...fields },
      ...(fields['tool_calls'] ? [{ role: 'tool', tool_call_id: 'a', content: 'x' }] : []),
      { role: 'user', content: 'b' },
    ],
  });
  const f = { type: 'function', function: { name: 'f', arguments: '{}' } };
  const signed = { id: 'a', ...f, extra_content: { google: { thought_signature: 'c2lnbmVk' } } };
  const custom = { id: 'a', type: 'custom', custom: { name: 'f', input: 'x' } };
  const marked: JsonObject = {
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] },
    ],
  };
  const cases: [string, JsonObject, Partial<Dialect>, boolean][] = [
    ['plain', call('a', 'f', '{}'), {}, true],
    ['developer role', { messages: [{ role: 'developer', content: 'x' }] }, {}, false],
    [
      'developer dialect',
      { messages: [{ role: 'developer', content: 'x' }] },
      { systemRole: 'developer' },
      true,
    ],
    ['long name', call('a', long, '{}'), {}, false],
    ['long name accepted', call('a', long, '{}'), { maxToolName: 128 }, true],
    ['odd id', call('functions.f:0', 'f', '{}'), {}, false],
    ['empty arguments', call('a', 'f', ''), {}, false],
    ['foreign mark', marked, {}, false],
    ['own mark', marked, { cacheMarks: 'cache_control' }, true],
    [
      'unwanted reasoning',
      { messages: [{ role: 'assistant', content: 'a', reasoning_content: 'b' }] },
      {},
      false,
    ],
    [
      'reasoning wanted',
      { messages: [{ role: 'assistant', content: 'a', reasoning_content: 'b' }] },
      { reasoningReplay: 'reasoning_content' },
      true,
    ],
    [
      'late system',
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'system', content: 'b' },
        ],
      },
      { midSystem: 'as-user' },
      false,
    ],
    [
      'picture in a result',
      {
        messages: [
          {
            role: 'tool',
            tool_call_id: 'a',
            content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,A' } }],
          },
        ],
      },
      {},
      false,
    ],
    [
      'inline picture where URLs are refused',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Look:' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,A' } },
            ],
          },
        ],
      },
      { media: { image: true, imageUrl: false, document: false, audio: false } },
      true,
    ],
    [
      'picture with a misspelt type',
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/jpg;base64,A' } }] },
        ],
      },
      {},
      false,
    ],
    ['signed call elsewhere', assistantWith({ tool_calls: [signed] }), { issuer: 'openai' }, false],
    ['signed call at its issuer', assistantWith({ tool_calls: [signed] }), { issuer: 'google' }, true],
    ['custom call', assistantWith({ tool_calls: [custom] }), {}, false],
    ['custom call accepted', assistantWith({ tool_calls: [custom] }), { customTools: true }, true],
    ['legacy call', assistantWith({ function_call: { name: 'f', arguments: '{}' } }), {}, false],
    [
      'own image',
      assistantWith({ images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,A' } }] }),
      {},
      false,
    ],
    ['no images', assistantWith({ images: [] }), {}, true],
    [
      'call without the reasoning it needs',
      call('a', 'f', '{}'),
      { reasoningReplay: 'reasoning_content' },
      false,
    ],
    ['unwanted details', assistantWith({ reasoning_details: [] }), { reasoningReplay: 'none' }, false],
    ['no details', assistantWith({ reasoning_details: [] }), { reasoningReplay: 'reasoning_content' }, true],
    ['function role', { messages: [{ role: 'function', name: 'f', content: 'x' }] }, {}, false],
    ['deprecated functions', { functions: [{ name: 'f' }] }, {}, false],
    ['odd id of a result', { messages: [{ role: 'tool', tool_call_id: 'a:0', content: 'x' }] }, {}, false],
    ['result without content', { messages: [{ role: 'tool', tool_call_id: 'a', content: null }] }, {}, false],
    ['unwanted plain reasoning', assistantWith({ reasoning: 'b' }), {}, false],
    ['plain reasoning wanted', assistantWith({ reasoning: 'b' }), { reasoningReplay: 'reasoning' }, true],
    [
      'marked call',
      assistantWith({ tool_calls: [{ id: 'a', ...f, cache_control: { type: 'ephemeral' } }] }),
      {},
      false,
    ],
    [
      'marked tool',
      { tools: [{ type: 'function', function: { name: 'f' }, cache_control: { type: 'ephemeral' } }] },
      {},
      false,
    ],
    ['custom tool', { tools: [{ type: 'custom', custom: { name: 'f' } }] }, {}, false],
    [
      'custom tool accepted',
      { tools: [{ type: 'custom', custom: { name: 'f' } }] },
      { customTools: true },
      true,
    ],
    ['strict', { tools: [{ type: 'function', function: { name: 'f', strict: true } }] }, {}, false],
    [
      'strict accepted',
      { tools: [{ type: 'function', function: { name: 'f', strict: true } }] },
      { strictTools: true },
      true,
    ],
  ];
  for (const [name, fields, dialect, isVerbatim] of cases) {
    const request = decodeChat(fields);
    assert.equal(
      encodeChat(request, dialect)['messages'] === request.origin.body['messages'],
      isVerbatim,
      name,
    );
  }
});
