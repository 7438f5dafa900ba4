import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { ClientFormatId } from '#canonical';
import type { Mapping } from '#catalogue';
import { getInboundFormat } from '#wire';
import { catalogue } from '../../../../test/support/access-offers.ts';
import { listUnsupported } from './required-parameters.ts';

function offerOf(providerId: string, modelId: string, more: Partial<Mapping> = {}): Mapping {
  const mapping = catalogue.models.get(modelId)?.mappings.find((one) => one.providerId === providerId);
  assert.ok(mapping);
  return { ...mapping, ...more };
}

const chatOffer = offerOf('acme', 'big');
const claude = offerOf('anthropic', 'claude-sonnet-4-5');

function unsupported(body: JsonObject, mapping: Mapping, format: ClientFormatId = 'chat'): string[] {
  const whole = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hello' }], ...body };
  return listUnsupported(getInboundFormat(format).decodeRequest(whole, {}), mapping);
}

const TOOL = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } };

test('what every provider gets, or the gateway does itself, is supported everywhere', () => {
  const body = { stop: ['x'], n: 2, stream: true, temperature: 0.5, tools: [TOOL], tool_choice: 'auto' };
  for (const mapping of [chatOffer, claude]) assert.deepEqual(unsupported(body, mapping), []);
});

test('parameters that an offer would not be sent are named as clients name them', () => {
  assert.deepEqual(unsupported({ seed: 1, presence_penalty: 1, top_k: 3 }, claude), [
    'presence_penalty',
    'seed',
  ]);
  assert.deepEqual(unsupported({ top_k: 3 }, chatOffer), ['top_k']);
  assert.deepEqual(unsupported({ tools: [TOOL] }, { ...chatOffer, tools: false }), ['tools']);
  assert.deepEqual(
    unsupported(
      { reasoning_effort: 'high' },
      offerOf('acme', 'small', { dialect: { ...chatOffer.dialect, reasoningField: 'none' } }),
    ),
    ['reasoning_effort'],
  );
  assert.deepEqual(unsupported({ response_format: { type: 'json_object' } }, { ...chatOffer, json: false }), [
    'response_format',
  ]);
});

test('a member of one format is supported by offers of that format, unless they refuse it', () => {
  const body = { logit_bias: { 5: 1 }, verbosity: 'low', metadata: { a: 'b' } };
  assert.deepEqual(unsupported(body, chatOffer), []);
  assert.deepEqual(unsupported(body, claude), ['logit_bias', 'verbosity']);
  const refusing = { ...chatOffer, dialect: { ...chatOffer.dialect, refusedFields: ['verbosity'] } };
  assert.deepEqual(unsupported(body, refusing), ['verbosity']);
  assert.deepEqual(unsupported(body, offerOf('acme', 'big', { format: 'responses' })), ['logit_bias']);
  assert.deepEqual(unsupported({ context_management: { edits: [] } }, claude, 'messages'), []);
  assert.deepEqual(unsupported({ context_management: { edits: [] } }, chatOffer, 'messages'), [
    'context_management',
  ]);
});
