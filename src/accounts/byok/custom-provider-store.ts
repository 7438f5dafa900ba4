import { createInvalid } from '#errors';
import type { CustomFormat } from '#catalogue';
import type { ByokTerms } from './byok.ts';
import { createIdentifier } from '#base';
import { type RecordOf, type Statement, column, defineRecord, moment } from '#storage';
import { type ByokFilter, type ByokPorts, type OwnedId, createByokRows } from './byok-rows.ts';
import { getKeyId } from './credential-keys.ts';
import {
  maskProviderKey,
  readBaseUrl,
  readCustomFormat,
  readCustomName,
  readProviderKey,
} from './read-byok.ts';
import { getRow } from '../get-row.ts';

/** One provider of one organization. */
interface CustomProviderName {
  organizationId: string;
  name: string;
}

/** The custom providers of organizations. Changes take effect in every process within a second. */
export interface CustomProviderStore {
  addCustomProvider(
    input: CustomProviderName & { format: string; baseUrl: string; apiKey: string },
    terms: ByokTerms,
  ): Promise<CustomProviderRecord>;
  /** Another address requires the key again: a stored key is only sent to the address it was entered for. */
  changeCustomProvider(input: ProviderChange, terms: ByokTerms): Promise<CustomProviderRecord>;
  listCustomProviders(filter: ByokFilter): Promise<CustomProviderRecord[]>;
  getCustomProvider(id: string): Promise<CustomProviderRecord>;
  /** With its models. */
  removeCustomProvider(owned: OwnedId): Promise<CustomProviderRecord>;
}

type ProviderChange = OwnedId & { baseUrl?: string; apiKey?: string };

const MOST_PROVIDERS = 50;

const PROVIDER = defineRecord({
  id: column<string>('r.id'),
  organizationId: column<string>('r.organization_id'),
  name: column<string>('r.name'),
  format: column<CustomFormat>('r.format'),
  baseUrl: column<string>('r.base_url'),
  sealed: column<string>('r.sealed'),
  /** `…abcd` */
  masked: column<string>('r.masked'),
  models: column<number>('(SELECT count(*)::int FROM custom_model m WHERE m.provider_id = r.id)'),
  createdAt: moment('r.created_at'),
});
type ProviderRow = RecordOf<typeof PROVIDER>;

/** An organization's own provider, as listed: without its key. */
export interface CustomProviderRecord extends Omit<ProviderRow, 'sealed'> {
  /** Whether its key can be used: a tampered record cannot be decrypted. */
  readable: boolean;
}

const ADD_PROVIDER = `
  INSERT INTO custom_provider AS r (id, organization_id, name, format, base_url, sealed, masked)
  SELECT $1, o.id, $3, $4, $5, $6, $7 FROM organization o
  WHERE o.id = $2 AND o.removed_at IS NULL FOR KEY SHARE
  ON CONFLICT (organization_id, name) DO NOTHING
  RETURNING ${PROVIDER.columns}`;

const CHANGE_PROVIDER = `
  UPDATE custom_provider r SET base_url = $3, sealed = $4, masked = $5
  WHERE r.organization_id = $1 AND r.id = $2 RETURNING ${PROVIDER.columns}`;

const COUNT_PROVIDERS = `
  SELECT (SELECT count(*)::int FROM custom_provider WHERE organization_id = o.id) AS providers
  FROM organization o WHERE o.id = $1 AND o.removed_at IS NULL`;

export function createCustomProviderStore(ports: ByokPorts): CustomProviderStore {
  const { sealer } = ports;
  const providers = createByokRows(ports, {
    table: 'custom_provider',
    type: PROVIDER,
    toItem: ({ sealed, ...row }): CustomProviderRecord => {
      const { id, organizationId, baseUrl: address } = row;
      return { ...row, readable: sealer.open(sealed, { organizationId, id, address }) !== undefined };
    },
  });
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
      const values = [id, organizationId, name, format, baseUrl, sealed, maskProviderKey(key)];
      return providers.change({ text: ADD_PROVIDER, values }, () =>
        createInvalid('name', 'a name that no custom provider of the organization has yet'),
      );
    },
    changeCustomProvider: async (input, terms) => providers.change(await composeChange(ports, input, terms)),
    listCustomProviders: providers.list,
    getCustomProvider: providers.get,
    removeCustomProvider: providers.remove,
  };
}

async function composeChange(
  ports: ByokPorts,
  { organizationId, id, baseUrl, apiKey }: ProviderChange,
  { addresses }: ByokTerms,
): Promise<Statement> {
  const current = await getRow<{ base_url: string }>(ports.database, 'custom provider', {
    text: 'SELECT base_url FROM custom_provider WHERE organization_id = $1 AND id = $2',
    values: [organizationId, id],
  });
  const address = baseUrl === undefined ? current.base_url : await readBaseUrl(baseUrl, addresses);
  if (apiKey === undefined) {
    const what =
      address === current.base_url
        ? 'given where nothing else is changed'
        : 'entered again with another baseUrl: the stored key is never sent to where it was not entered for';
    throw createInvalid('apiKey', what);
  }
  const key = readProviderKey(apiKey);
  const sealed = await sealKey(ports, key, { organizationId, id, address });
  return { text: CHANGE_PROVIDER, values: [organizationId, id, address, sealed, maskProviderKey(key)] };
}

async function checkRoom({ database }: ByokPorts, organizationId: string): Promise<void> {
  const counted = await getRow<{ providers: number }>(database, 'organization', {
    text: COUNT_PROVIDERS,
    values: [organizationId],
  });
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
