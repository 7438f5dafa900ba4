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
  PRICE_FIELDS,
  RESPONSES_DIALECT,
} from '#canonical';
import { PROVIDER_FORMATS, createGenerousTarget } from '../../test/docs/targets.ts';
import { CLIENTS } from '../../test/docs/translation/clients.ts';
import { createForeignRequest } from '../../test/support/foreign-request.ts';
import { getInboundFormat, getOutboundFormat } from './formats.ts';
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

/** Of the fields, `cache_type` is only reported. */
const REQUESTED = PRICE_FIELDS.filter((field) => field !== 'cache_type');

/** The fields whose option an upstream of a format is billed with; each is sent. */
function listBilled(client: ClientFormatId, provider: FormatId): string[] {
  const target = createGenerousTarget(provider);
  const decode = (more: JsonObject) =>
    getInboundFormat(client).decodeRequest({ ...CLIENTS[client].base, ...more }, {});
  const encode = (more: JsonObject) => getOutboundFormat(provider).openExchange(decode(more), target).body;
  return REQUESTED.filter((field) => {
    const asked = { [field]: 'priority' };
    if (findPriceOptions(decode(asked), provider, target.dialect)[field] === undefined) return false;
    assert.notDeepEqual(encode(asked), encode({}), `${client} to ${provider}: ${field} is not sent`);
    return true;
  });
}

test('an option that is billed is sent, from each format to each', () => {
  const clients = Object.keys(CLIENTS) as ClientFormatId[];
  const billed = new Set(
    clients.flatMap((client) => PROVIDER_FORMATS.flatMap((provider) => listBilled(client, provider))),
  );
  const unread = REQUESTED.filter((field) => !billed.has(field));
  assert.deepEqual(unread, [], 'read it in the facts of a format (findOwnOptions)');
});
