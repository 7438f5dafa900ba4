import type { ByokPorts } from './provider-key-book.ts';
import type { CustomFormat, ByokTerms } from './byok.ts';
import { createIdentifier } from '#base';
import { createInvalid, createNotFound } from '../read-input.ts';
import { getKeyId } from './credential-keys.ts';
import {
  maskProviderKey,
  readBaseUrl,
  readCustomFormat,
  readCustomName,
  readProviderKey,
} from './read-byok.ts';

/** An organization's own provider, as listed: without its key. */
export interface CustomProviderRecord {
  id: string;
  organizationId: string;
  name: string;
  format: CustomFormat;
  baseUrl: string;
  /** `…abcd` */
  masked: string;
  /** Whether its key can be used: a tampered record cannot be decrypted. */
  readable: boolean;
  models: number;
  /** Milliseconds since the Unix epoch. */
  createdAt: number;
}

/** One provider of one organization. */
export interface CustomProviderName {
  organizationId: string;
  name: string;
}

/** The custom providers of organizations. Changes take effect in every process within a second. */
export interface CustomProviderBook {
  addCustomProvider(
    input: CustomProviderName & { format: string; baseUrl: string; apiKey: string },
    terms: ByokTerms,
  ): Promise<CustomProviderRecord>;
  /** Another address requires the key again: a stored key is only sent to the address it was entered for. */
  changeCustomProvider(
    input: CustomProviderName & { baseUrl?: string; apiKey?: string },
    terms: ByokTerms,
  ): Promise<CustomProviderRecord>;
  /** Those of one organization, or all. */
  listCustomProviders(filter: { organizationId?: string; id?: string }): Promise<CustomProviderRecord[]>;
  /** With its models. */
  removeCustomProvider(input: CustomProviderName): Promise<CustomProviderRecord>;
}

interface ProviderRow {
  id: string;
  organization_id: string;
  name: string;
  format: CustomFormat;
  base_url: string;
  sealed: string;
  masked: string;
  models: number;
  created_at: number;
}

const MOST_PROVIDERS = 50;

const COLUMNS = `id, organization_id, name, format, base_url, sealed, masked,
  (SELECT count(*)::int FROM custom_model m WHERE m.provider_id = custom_provider.id) AS models,
  round(extract(epoch FROM created_at) * 1000)::float8 AS created_at`;

const ADD_PROVIDER = `
  INSERT INTO custom_provider (id, organization_id, name, format, base_url, sealed, masked)
  SELECT $1, o.id, $3, $4, $5, $6, $7 FROM organization o WHERE o.id = $2
  ON CONFLICT (organization_id, name) DO NOTHING
  RETURNING ${COLUMNS}`;

const CHANGE_PROVIDER = `
  UPDATE custom_provider SET base_url = $4, sealed = $5, masked = $6
  WHERE organization_id = $1 AND name = $2 AND id = $3 RETURNING ${COLUMNS}`;

const COUNT_PROVIDERS = `
  SELECT (SELECT count(*)::int FROM custom_provider WHERE organization_id = o.id) AS providers
  FROM organization o WHERE o.id = $1`;

export function createCustomProviderBook(ports: ByokPorts): CustomProviderBook {
  const { database, onChange } = ports;
  const reported = (row: ProviderRow): CustomProviderRecord => {
    onChange(`organization:${row.organization_id}`);
    return toRecord(row, ports);
  };
  return {
    addCustomProvider: async (input, terms) => {
      const { organizationId } = input;
      const name = readCustomName(input.name, terms);
      const format = readCustomFormat(input.format);
      const key = readProviderKey(input.apiKey);
      const baseUrl = await readBaseUrl(input.baseUrl, terms.addresses);
      await checkRoom(ports, organizationId);
      const id = createIdentifier('cprov');
      const sealed = await sealKey(ports, key, { organizationId, id, address: baseUrl });
      const { rows } = await database.query<ProviderRow>({
        text: ADD_PROVIDER,
        values: [id, organizationId, name, format, baseUrl, sealed, maskProviderKey(key)],
      });
      const [row] = rows;
      if (!row) throw createInvalid('name', `a name that no custom provider of the organization has yet`);
      return reported(row);
    },
    changeCustomProvider: async (input, terms) => reported(await changeProvider(ports, input, terms)),
    listCustomProviders: async ({ organizationId, id }) => {
      const { rows } = await database.query<ProviderRow>({
        text: `
          SELECT ${COLUMNS} FROM custom_provider
          WHERE ($1::text IS NULL OR organization_id = $1) AND ($2::text IS NULL OR id = $2)
          ORDER BY organization_id, name`,
        values: [organizationId ?? null, id ?? null],
      });
      return rows.map((row) => toRecord(row, ports));
    },
    removeCustomProvider: async ({ organizationId, name }) => {
      const { rows } = await database.query<ProviderRow>({
        text: `DELETE FROM custom_provider WHERE organization_id = $1 AND name = $2 RETURNING ${COLUMNS}`,
        values: [organizationId, name],
      });
      const [row] = rows;
      if (!row) throw createNotFound('custom provider');
      return reported(row);
    },
  };
}

async function changeProvider(
  ports: ByokPorts,
  { organizationId, name, baseUrl, apiKey }: CustomProviderName & { baseUrl?: string; apiKey?: string },
  { addresses }: ByokTerms,
): Promise<ProviderRow> {
  const { rows: found } = await ports.database.query<{ id: string; base_url: string }>({
    text: 'SELECT id, base_url FROM custom_provider WHERE organization_id = $1 AND name = $2',
    values: [organizationId, name],
  });
  const [current] = found;
  if (!current) throw createNotFound('custom provider');
  const address = baseUrl === undefined ? current.base_url : await readBaseUrl(baseUrl, addresses);
  if (apiKey === undefined) {
    const what =
      address === current.base_url
        ? 'given where nothing else is changed'
        : 'entered again with another baseUrl: the stored key is never sent to where it was not entered for';
    throw createInvalid('apiKey', what);
  }
  const key = readProviderKey(apiKey);
  const sealed = await sealKey(ports, key, { organizationId, id: current.id, address });
  const { rows } = await ports.database.query<ProviderRow>({
    text: CHANGE_PROVIDER,
    values: [organizationId, name, current.id, address, sealed, maskProviderKey(key)],
  });
  const [row] = rows;
  if (!row) throw createNotFound('custom provider');
  return row;
}

async function checkRoom({ database }: ByokPorts, organizationId: string): Promise<void> {
  const { rows } = await database.query<{ providers: number }>({
    text: COUNT_PROVIDERS,
    values: [organizationId],
  });
  const [counted] = rows;
  if (!counted) throw createNotFound('organization');
  if (counted.providers >= MOST_PROVIDERS)
    throw createInvalid('name', `one of at most ${MOST_PROVIDERS} custom providers of an organization`);
}

async function sealKey(
  { database, sealer }: ByokPorts,
  key: string,
  binding: { organizationId: string; id: string; address: string },
): Promise<string> {
  return sealer.seal(key, binding, await getKeyId(database));
}

function toRecord(row: ProviderRow, { sealer }: ByokPorts): CustomProviderRecord {
  const { id, organization_id: organizationId, name, format, base_url: baseUrl, masked, models } = row;
  const readable = sealer.open(row.sealed, { organizationId, id, address: baseUrl }) !== undefined;
  return { id, organizationId, name, format, baseUrl, masked, readable, models, createdAt: row.created_at };
}
