import type { ConfiguredPrice } from '#catalogue';
import type { CustomProviderName } from './custom-provider-book.ts';
import type { ByokPorts } from './provider-key-book.ts';
import type { NewCustomModel } from './read-byok.ts';
import type { CustomModel, ByokTerms } from './byok.ts';
import { createIdentifier } from '#base';
import { encodePrice } from '#catalogue';
import { createInvalid, createNotFound } from '../read-input.ts';
import { readCustomModel } from './read-byok.ts';

/** An organization's own model, as listed. */
export interface CustomModelRecord extends CustomModel {
  id: string;
  organizationId: string;
  provider: string;
  /** Milliseconds since the Unix epoch. */
  createdAt: number;
}

/** The custom models of organizations. Changes take effect in every process within a second. */
export interface CustomModelBook {
  addCustomModel(
    input: { organizationId: string; provider: string; model: NewCustomModel },
    terms: ByokTerms,
  ): Promise<CustomModelRecord>;
  /** Those of one organization, or all. */
  listCustomModels(filter: { organizationId?: string; id?: string }): Promise<CustomModelRecord[]>;
  removeCustomModel(input: {
    organizationId: string;
    provider: string;
    model: string;
  }): Promise<CustomModelRecord>;
}

interface ModelRow {
  id: string;
  organization_id: string;
  provider: string;
  name: string;
  external_id: string;
  context_length: number;
  max_output: number;
  price: ConfiguredPrice | null;
  vision: boolean | null;
  tools: boolean | null;
  reasoning: boolean | null;
  created_at: number;
}

const MOST_MODELS = 500;

const COLUMNS = `m.id, m.organization_id, m.name, m.external_id, m.context_length, m.max_output, m.price, m.vision, m.tools,
  m.reasoning, round(extract(epoch FROM m.created_at) * 1000)::float8 AS created_at`;

/** The price is also stored under its version, so that a bill can be explained after it has changed. */
const ADD_MODEL = `
  WITH kept AS (
    INSERT INTO price_version (version, price) SELECT $12, $13::jsonb WHERE $12::text IS NOT NULL
    ON CONFLICT (version) DO NOTHING
  ), m AS (
    INSERT INTO custom_model
      (id, organization_id, provider_id, name, external_id, context_length, max_output, price, vision, tools, reasoning)
    SELECT $1, p.organization_id, p.id, $4, $5, $6, $7, $8::jsonb, $9, $10, $11
    FROM custom_provider p WHERE p.organization_id = $2 AND p.name = $3
    ON CONFLICT DO NOTHING RETURNING *
  )
  SELECT ${COLUMNS}, $3::text AS provider FROM m`;

const COUNT_MODELS = `
  SELECT (SELECT count(*)::int FROM custom_model WHERE organization_id = p.organization_id) AS models
  FROM custom_provider p WHERE p.organization_id = $1 AND p.name = $2`;

export function createCustomModelBook({ database, onChange }: ByokPorts): CustomModelBook {
  const checkRoom = async ({ organizationId, name }: CustomProviderName): Promise<void> => {
    const { rows } = await database.query<{ models: number }>({
      text: COUNT_MODELS,
      values: [organizationId, name],
    });
    const [counted] = rows;
    if (!counted) throw createNotFound('custom provider');
    if (counted.models >= MOST_MODELS)
      throw createInvalid('model', `one of at most ${MOST_MODELS} custom models of an organization`);
  };
  return {
    addCustomModel: async ({ organizationId, provider, model }, terms) => {
      const read = readCustomModel(provider, model, terms);
      await checkRoom({ organizationId, name: provider });
      const { rows } = await database.query<ModelRow>({
        text: ADD_MODEL,
        values: [createIdentifier('cmod'), organizationId, provider, ...toValues(read)],
      });
      const [row] = rows;
      if (!row) throw createInvalid('model', `a name that "${provider}" has not yet`);
      onChange(`organization:${organizationId}`);
      return toRecord(row);
    },
    listCustomModels: async ({ organizationId, id }) => {
      const { rows } = await database.query<ModelRow>({
        text: `
          SELECT ${COLUMNS}, p.name AS provider FROM custom_model m
          JOIN custom_provider p ON p.id = m.provider_id AND p.organization_id = m.organization_id
          WHERE ($1::text IS NULL OR m.organization_id = $1) AND ($2::text IS NULL OR m.id = $2)
          ORDER BY m.organization_id, p.name, m.name`,
        values: [organizationId ?? null, id ?? null],
      });
      return rows.map(toRecord);
    },
    removeCustomModel: async ({ organizationId, provider, model }) => {
      const { rows } = await database.query<ModelRow>({
        text: `
          DELETE FROM custom_model m USING custom_provider p
          WHERE p.organization_id = $1 AND p.name = $2 AND m.provider_id = p.id AND lower(m.name) = lower($3)
          RETURNING ${COLUMNS}, p.name AS provider`,
        values: [organizationId, provider, model],
      });
      const [row] = rows;
      if (!row) throw createNotFound('custom model');
      onChange(`organization:${organizationId}`);
      return toRecord(row);
    },
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

function toRecord(row: ModelRow): CustomModelRecord {
  const { id, organization_id: organizationId, provider, name, price, vision, tools, reasoning } = row;
  return {
    id,
    organizationId,
    provider,
    name,
    externalId: row.external_id,
    contextLength: row.context_length,
    maxOutput: row.max_output,
    ...(price !== null && { price }),
    ...(vision !== null && { vision }),
    ...(tools !== null && { tools }),
    ...(reasoning !== null && { reasoning }),
    createdAt: row.created_at,
  };
}
