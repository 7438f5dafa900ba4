import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import {
  CHAT_DIALECT,
  type ClientFormatId,
  type Dialect,
  type FormatId,
  GEMINI_DIALECT,
  MESSAGES_DIALECT,
  RESPONSES_DIALECT,
} from '#canonical';
import { createForeignRequest } from '../../test/support/foreign-request.ts';
import { findPriceOptions } from './price-options.ts';

const DIALECTS: Partial<Record<FormatId, Dialect>> = {
  chat: CHAT_DIALECT,
  messages: MESSAGES_DIALECT,
  responses: RESPONSES_DIALECT,
  gemini: GEMINI_DIALECT,
};

/** The options that reach an upstream of a format. */
function find(
  [from, body]: [from: ClientFormatId, body: JsonObject],
  to: FormatId,
  dialect: Partial<Dialect> = {},
): object {
  const tier = body['service_tier'];
  const request = createForeignRequest({
    origin: { format: from, body },
    ...(typeof tier === 'string' && { serviceTier: tier }),
  });
  return findPriceOptions(request, to, { ...(DIALECTS[to] ?? CHAT_DIALECT), ...dialect });
}

test('a tier is billed where it is sent, by the word of the upstream', () => {
  assert.deepEqual(find(['chat', {}], 'chat'), {});
  assert.deepEqual(find(['chat', { service_tier: 'Priority' }], 'chat'), { service_tier: 'priority' });
  assert.deepEqual(find(['responses', { service_tier: 'flex' }], 'chat'), { service_tier: 'flex' });
  const refused = { refusedFields: ['service_tier'] };
  assert.deepEqual(find(['chat', { service_tier: 'priority' }], 'chat', refused), {});
  assert.deepEqual(find(['chat', { service_tier: 'fast' }], 'gemini'), { service_tier: 'priority' });
  assert.deepEqual(find(['gemini', { service_tier: 'SERVICE_TIER_FLEX' }], 'gemini'), {
    service_tier: 'flex',
  });
  assert.deepEqual(
    find(['chat', { service_tier: 'flex' }], 'messages', { betas: 'verbatim' }),
    {},
    'has none',
  );
  assert.deepEqual(find(['chat', { service_tier: 'default' }], 'messages', { betas: 'verbatim' }), {
    service_tier: 'standard_only',
  });
  assert.deepEqual(find(['chat', { service_tier: 'default' }], 'messages', { betas: 'none' }), {});
});

test('what only Anthropic bills reaches Anthropic alone, and only where it is sent', () => {
  const asked = { service_tier: 'auto', speed: 'fast', inference_geo: 'us', other: 'x' };
  const verbatim = { betas: 'verbatim' } as const;
  const { other: _, ...all } = asked;
  assert.deepEqual(find(['messages', asked], 'messages', verbatim), all);
  assert.deepEqual(find(['messages', { speed: 5 }], 'messages', verbatim), {});
  assert.deepEqual(find(['messages', asked], 'chat'), {});
  const { service_tier, inference_geo } = all;
  assert.deepEqual(
    find(['messages', asked], 'messages', { betas: 'none' }),
    { service_tier, inference_geo },
    'speed belongs to a beta',
  );
});
