import type { CustomModelRecord, CustomProviderRecord, ProviderKeyRecord } from '#accounts';
import type { JsonObject } from '#base';
import { Type } from 'typebox';
import { CUSTOM_FORMATS } from '#accounts';
import { encodeTime, orNull, timeShape } from './fields.ts';

const readable = Type.Boolean({
  description: 'Whether it can be used: a record that was tampered with cannot.',
});
const masked = Type.String({ description: '`…abcd`' });

export const providerKeyShape = Type.Object({
  object: Type.Literal('provider_key'),
  id: Type.String(),
  organization_id: Type.String(),
  provider: Type.String(),
  origin: Type.String({ description: 'Where it is sent, and nowhere else.' }),
  masked,
  readable,
  created_at: timeShape,
});

export function encodeProviderKey(key: ProviderKeyRecord): JsonObject {
  return {
    object: 'provider_key',
    id: key.id,
    organization_id: key.organizationId,
    provider: key.providerId,
    origin: key.origin,
    masked: key.masked,
    readable: key.readable,
    created_at: encodeTime(key.createdAt),
  };
}

export const customProviderShape = Type.Object({
  object: Type.Literal('custom_provider'),
  id: Type.String(),
  organization_id: Type.String(),
  name: Type.String(),
  format: Type.Enum([...CUSTOM_FORMATS]),
  base_url: Type.String(),
  masked,
  readable,
  models: Type.Integer({ description: 'How many models it has.' }),
  created_at: timeShape,
});

export function encodeCustomProvider(provider: CustomProviderRecord): JsonObject {
  return {
    object: 'custom_provider',
    id: provider.id,
    organization_id: provider.organizationId,
    name: provider.name,
    format: provider.format,
    base_url: provider.baseUrl,
    masked: provider.masked,
    readable: provider.readable,
    models: provider.models,
    created_at: encodeTime(provider.createdAt),
  };
}

/** Prices in USD per million tokens, by the names of `sluice.yaml`. */
const priceShape = Type.Record(Type.String(), Type.String());

export const customModelShape = Type.Object({
  object: Type.Literal('custom_model'),
  id: Type.String(),
  organization_id: Type.String(),
  provider: Type.String(),
  name: Type.String({ description: 'It is called as provider/name.' }),
  external_id: Type.String(),
  context_length: Type.Integer(),
  max_output: Type.Integer(),
  price: orNull(priceShape),
  created_at: timeShape,
});

export function encodeCustomModel(model: CustomModelRecord): JsonObject {
  return {
    object: 'custom_model',
    id: model.id,
    organization_id: model.organizationId,
    provider: model.provider,
    name: model.name,
    external_id: model.externalId,
    context_length: model.contextLength,
    max_output: model.maxOutput,
    price: model.price ? { ...model.price } : null,
    created_at: encodeTime(model.createdAt),
  };
}
