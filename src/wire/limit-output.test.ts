import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { ClientFormatId } from '#canonical';
import { createForeignRequest } from '../../test/support/foreign-request.ts';
import { limitOutput } from './limit-output.ts';

/** What becomes of a body of this format. */
function limitBody(format: ClientFormatId, body: JsonObject): JsonObject {
  const request = createForeignRequest({ maxOutputTokens: 9, origin: { format, body } });
  const limited = limitOutput(request, 5);
  assert.equal(limited.maxOutputTokens, 5);
  assert.equal(request.maxOutputTokens, 9, 'the request itself is unchanged');
  return limited.origin.body;
}

test('an output limit replaces the one of a body that is forwarded, in its own spelling', () => {
  assert.deepEqual(limitBody('messages', { model: 'm', max_tokens: 9 }), { model: 'm', max_tokens: 5 });
  const config = { temperature: 1 };
  assert.deepEqual(
    limitBody('gemini', { contents: [], generationConfig: { ...config, maxOutputTokens: 9 } }),
    {
      contents: [],
      generationConfig: { ...config, maxOutputTokens: 5 },
    },
  );
  assert.deepEqual(limitBody('gemini', { generation_config: { max_output_tokens: 9 } }), {
    generation_config: { max_output_tokens: 5 },
  });
  assert.deepEqual(limitBody('gemini', { contents: [] }), {
    contents: [],
    generationConfig: { maxOutputTokens: 5 },
  });
});

test('a body that is never forwarded is left as it is', () => {
  const body = { max_tokens: 9 };
  assert.equal(limitBody('chat', body), body);
  assert.equal(limitBody('responses', body), body);
});
