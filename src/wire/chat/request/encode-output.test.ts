import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { CanonicalRequest } from '#canonical';
import { decodeChat, encodeChat, CLOSED_SCHEMA as CLOSED } from '../../../../test/support/chat-exchange.ts';
import { createForeignRequest } from '../../../../test/support/foreign-request.ts';

test('a response format is passed on to those that know it, described in words to the others', () => {
  const text = decodeChat({ response_format: { type: 'text' } });
  assert.deepEqual(encodeChat(text)['response_format'], { type: 'text' });
  assert.equal(encodeChat(text, { structuredOutput: 'none' })['response_format'], undefined);
  const origin = { format: 'responses', body: { response_format: { type: 'text' } } } as const;
  assert.equal(encodeChat(createForeignRequest({ origin }))['response_format'], undefined);

  const messagesOf = (request: CanonicalRequest) =>
    JSON.stringify(encodeChat(request, { structuredOutput: 'json' })['messages']);
  assert.equal(messagesOf(decodeChat({ response_format: { type: 'json_object' } })).includes('JSON'), false);
  assert.ok(messagesOf(createForeignRequest({ output: { type: 'json' } })).includes('JSON'));
  const schema = { name: 'x', description: 'An x.', schema: { type: 'object' } };
  const asked = decodeChat({ response_format: { type: 'json_schema', json_schema: schema } });
  assert.ok(messagesOf(asked).includes('JSON'), 'a schema needs words even for a Chat caller');

  const closed = { ...schema, schema: CLOSED };
  const own = { ...asked, output: { type: 'json-schema', ...closed } } as const;
  const formats = (['chat', 'responses', 'messages', 'gemini'] as const).map((format) => {
    const sent = encodeChat({ ...own, origin: { format, body: {} } })['response_format'] as JsonObject;
    return sent['json_schema'];
  });
  assert.deepEqual(formats, [closed, closed, { ...closed, strict: true }, { ...closed, strict: true }]);
});
