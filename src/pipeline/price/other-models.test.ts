import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { CanonicalRequest } from '#canonical';
import { createForeignRequest } from '../../../test/support/foreign-request.ts';
import { type OtherModel, listOtherModels } from './other-models.ts';

function list(body: JsonObject, fields: Partial<CanonicalRequest> = {}): OtherModel[] {
  return listOtherModels(createForeignRequest({ origin: { format: 'messages', body }, ...fields }));
}

/** How often an advisor may run, and for how many tokens each time. */
function advise(tool: JsonObject): unknown[] {
  const value = { type: 'advisor_20260301', ...tool };
  return list({}, { tools: [{ type: 'native', format: 'messages', value }] }).map(
    ({ path, name, runs, maxOutput }) => [path, name, runs, maxOutput],
  );
}

test('each fallback may run once, with limits of its own; the provider may choose it', () => {
  assert.deepEqual(list({ fallbacks: 'auto' }), [{ path: 'fallbacks', runs: 1 }]);
  const fallbacks = ['one', { model: 'two', max_tokens: 7.5, speed: 'fast' }, { max_tokens: -1 }, 5];
  assert.deepEqual(list({ fallbacks }), [
    { path: 'fallbacks.0', name: 'one', runs: 1 },
    { path: 'fallbacks.1.model', name: 'two', runs: 1, maxOutput: 8, options: { speed: 'fast' } },
    { path: 'fallbacks.2.model', runs: 1 },
  ]);
});

test('an advisor runs as often as its limit says, at most 1,000 times; three times without a limit', () => {
  const model = 'wise';
  const usual = ['tools.0.model', model, 3, 8_192];
  for (const max of [undefined, null, 'two', -1, Infinity])
    assert.deepEqual(advise({ model, ...(max !== undefined && { max_uses: max }) }), [usual]);
  assert.deepEqual(advise({ model, max_uses: 0, max_tokens: 0 }), [['tools.0.model', model, 0, 0]]);
  assert.deepEqual(advise({ model, max_uses: 1.5, max_tokens: 0.5 }), [['tools.0.model', model, 2, 1]]);
  for (const max of [1_000, 1_001, 1e300])
    assert.deepEqual(advise({ model, max_uses: max }), [['tools.0.model', model, 1_000, 8_192]]);
  assert.deepEqual(advise({ type: 'bash_20250124', model }), []);
  assert.deepEqual(advise({ type: 7, model }), []);
});

test('an advisor that is added within the conversation is found where its path says', () => {
  const advisor = { type: 'advisor_20260301', model: 'wise', max_uses: 2, max_tokens: 50 };
  const body = { messages: [{ role: 'user', content: [{ type: 'text' }, { tools: [advisor] }] }] };
  const path = 'messages.0.content.1.tools.0.model';
  const otherModels = [
    { name: 'wise', path },
    { name: 'wise', path: 'tools.0.model' },
    { name: 'wise', path: 'messages.9.content.1.tools.0.model' },
  ];
  assert.deepEqual(list(body, { otherModels }), [{ path, name: 'wise', runs: 2, maxOutput: 50 }]);
});

test('only requests of the Messages format name other models', () => {
  assert.deepEqual(list({}, { origin: { format: 'chat', body: { fallbacks: ['one'] } } }), []);
});
