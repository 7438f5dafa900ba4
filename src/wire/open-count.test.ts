import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FormatId } from '#canonical';
import { createForeignRequest } from '../../test/support/foreign-request.ts';
import { createTarget } from '../../test/support/exchanges.ts';
import { getOutboundFormat } from './formats.ts';

/** The count of a request that has what only an answer needs: limits, sampling, streaming. */
function openCount(format: FormatId) {
  const outbound = getOutboundFormat(format);
  const target = createTarget(format);
  const request = createForeignRequest({
    system: [{ type: 'text', text: 'Be kind.' }],
    tools: [{ type: 'function', name: 'look', inputSchema: { type: 'object', properties: {} } }],
    sampling: { temperature: 1 },
    maxOutputTokens: 100,
    stream: true,
  });
  return outbound.openCount?.(outbound.openExchange(request, target), target);
}

test('Gemini counts a whole request, with its system instruction and tools', () => {
  const count = openCount('gemini');
  assert.equal(count?.path, '/models/upstream-model:countTokens');
  const { generateContentRequest: request } = count.body as {
    generateContentRequest: Record<string, unknown>;
  };
  assert.deepEqual(Object.keys(count.body), ['generateContentRequest']);
  assert.equal(request['model'], 'models/upstream-model');
  assert.deepEqual(request['contents'], [{ role: 'user', parts: [{ text: 'Hello.' }] }]);
  assert.deepEqual(request['systemInstruction'], { parts: [{ text: 'Be kind.' }] });
  assert.match(JSON.stringify(request['tools']), /"look"/);
  assert.equal(count.decode({ totalTokens: 7 }), 7);
});

test('Responses counts what input_tokens accepts, and sends nothing else', () => {
  const count = openCount('responses');
  assert.equal(count?.path, '/responses/input_tokens');
  assert.deepEqual(Object.keys(count.body).toSorted(), ['input', 'instructions', 'model', 'tools']);
  assert.equal(count.body['model'], 'upstream-model');
  assert.equal(count.decode({ object: 'response.input_tokens', input_tokens: 7 }), 7);
});

test('an answer without a count is none', () => {
  for (const format of ['gemini', 'messages', 'responses'] as const)
    for (const answer of [{}, { input_tokens: 0, totalTokens: 0 }, { input_tokens: '7', totalTokens: null }])
      assert.equal(openCount(format)?.decode(answer), undefined);
});

test('Chat and Converse have no counter', () => {
  assert.equal(openCount('chat'), undefined);
  assert.equal(openCount('converse'), undefined);
});
