import { createInvalid } from '#errors';
import type { ConfiguredPrice } from '#catalogue';
import type { NewCustomModel } from './read-byok.ts';
import type { ByokTerms } from './byok.ts';
import { createIdentifier } from '#base';
import { encodePrice } from '#catalogue';
import { type RecordOf, column, defineRecord, ifSet, moment } from '#storage';
import { type ByokFilter, type ByokPorts, type OwnedId, createByokRows } from './byok-rows.ts';
import { readCustomModel } from './read-byok.ts';
import { getRow } from '../get-row.ts';

/** The custom models of organizations. Changes take effect in every process within a second. */
export interface CustomModelStore {
  addCustomModel(
    input: { organizationId: string; provider: string; model: NewCustomModel },
    terms: ByokTerms,
  ): Promise<CustomModelRecord>;
  listCustomModels(filter: ByokFilter): Promise<CustomModelRecord[]>;
  getCustomModel(id: string): Promise<CustomModelRecord>;
  removeCustomModel(owned: OwnedId): Promise<CustomModelRecord>;
}

const MOST_MODELS = 500;

const MODEL = defineRecord({
  id: column<string>('r.id'),
  organizationId: column<string>('r.organization_id'),
  provider: column<string>('(SELECT p.name FROM custom_provider p WHERE p.id = r.provider_id)'),
  name: column<string>('r.name'),
  externalId: column<string>('r.external_id'),
  contextLength: column<number>('r.context_length'),
  maxOutput: column<number>('r.max_output'),
  price: ifSet(column<ConfiguredPrice>('r.price')),
  vision: ifSet(column<boolean>('r.vision')),
  tools: ifSet(column<boolean>('r.tools')),
  reasoning: ifSet(column<boolean>('r.reasoning')),
  createdAt: moment('r.created_at'),
});

/** An organization's own model, as listed. */
export type CustomModelRecord = RecordOf<typeof MODEL>;

/** The price is also stored under its version, so that a bill can be explained after it has changed. */
const ADD_MODEL = `
  WITH kept AS (
    INSERT INTO price_version (version, price) SELECT $12, $13::jsonb WHERE $12::text IS NOT NULL
    ON CONFLICT (version) DO NOTHING
  ), r AS (
    INSERT INTO custom_model
      (id, organization_id, provider_id, name, external_id, context_length, max_output, price, vision, tools, reasoning)
    SELECT $1, p.organization_id, p.id, $4, $5, $6, $7, $8::jsonb, $9, $10, $11
    FROM custom_provider p WHERE p.organization_id = $2 AND p.name = $3
    ON CONFLICT DO NOTHING RETURNING *
  )
  SELECT ${MODEL.columns} FROM r`;

const COUNT_MODELS = `
  SELECT (SELECT count(*)::int FROM custom_model WHERE organization_id = p.organization_id) AS models
  FROM custom_provider p WHERE p.organization_id = $1 AND p.name = $2`;

export function createCustomModelStore(ports: ByokPorts): CustomModelStore {
  const { database } = ports;
  const models = createByokRows(ports, { table: 'custom_model', type: MODEL, toItem: (model) => model });
  const checkRoom = async (organizationId: string, provider: string): Promise<void> => {
    const counted = await getRow<{ models: number }>(database, 'custom provider', {
      text: COUNT_MODELS,
      values: [organizationId, provider],
    });
    if (counted.models >= MOST_MODELS)
      throw createInvalid('model', `one of at most ${MOST_MODELS} custom models of an organization`);
  };
  return {
    addCustomModel: async ({ organizationId, provider, model }, terms) => {
      const read = readCustomModel(provider, model, terms);
      await checkRoom(organizationId, provider);
      const values = [createIdentifier('cmod'), organizationId, provider, ...toValues(read)];
      return models.change({ text: ADD_MODEL, values }, () =>
        createInvalid('model', `a name that "${provider}" has not yet`),
      );
    },
    listCustomModels: models.list,
    getCustomModel: models.get,
    removeCustomModel: models.remove,
  };
}

function toValues(model: ReturnType<typeof readCustomModel>): unknown[] {
  const { name, externalId, contextLength, maxOutput, price, vision, tools, reasoning, parsedPrice } = model;
  return [
    name,
    externalId,
    contextLength,
    maxOutput,
    price === undefined ? null : JSON.stringify(price),
    vision ?? null,
    tools ?? null,
    reasoning ?? null,
    parsedPrice?.version ?? null,
    parsedPrice === undefined ? null : JSON.stringify(encodePrice(parsedPrice)),
  ];
}
