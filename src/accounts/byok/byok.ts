import type { AddressRules } from '#base';
import type { Catalogue, ConfiguredPrice, CustomFormat } from '#catalogue';
import type { Queryable } from '#storage';
import type { Sealer } from '../secrets/sealer.ts';
import { createLru, parseJsonObject } from '#base';
import { GatewayError } from '#errors';

/** An encrypted credential: it decrypts only with the installation's secret, its row and its address. */
export interface SealedCredential {
  /** The id of the row; another key has another id. */
  id: string;
  /** The only address it may be sent to: the origin of a catalogue provider, the base URL of a custom one. */
  address: string;
  sealed: string;
}

/** An organization's key for a provider of the catalogue. */
interface OwnKey extends SealedCredential {
  providerId: string;
}

/** An organization's own model, called as `provider/model`. */
export interface CustomModel {
  name: string;
  /** The provider's name for it. */
  externalId: string;
  contextLength: number;
  maxOutput: number;
  price?: ConfiguredPrice;
  vision?: boolean;
  tools?: boolean;
  reasoning?: boolean;
}

/** An organization's own provider. */
export interface CustomProvider extends SealedCredential {
  name: string;
  format: CustomFormat;
  models: readonly CustomModel[];
}

/** The keys, providers and models an organization has added. */
export interface Byok {
  organizationId: string;
  keys: readonly OwnKey[];
  providers: readonly CustomProvider[];
}

/** The operator's configuration that an organization's keys, providers and models are checked against. */
export interface ByokTerms {
  catalogue: Catalogue;
  addresses: AddressRules;
  allowUnpriced: boolean;
}

const MOST_RECALLED = 2_000;
const known = createLru<string, Byok>(MOST_RECALLED);

/**
 * Parses the JSON text from the database; the same text yields the same object, and so the same objects derived from
 * it.
 */
export function recallByok(text: string): Byok {
  const recalled = known.get(text);
  if (recalled) return recalled;
  const parsed = parseJsonObject(text);
  if (!parsed) throw new Error('the stored keys and providers of the organization are not readable');
  const byok = parsed as unknown as Byok;
  known.set(text, byok);
  return byok;
}

/** An organization's own keys, providers and models, for work without a caller. */
export async function findByok(database: Queryable, organizationId: string): Promise<Byok | undefined> {
  const { rows } = await database.query<{ byok: string | null }>({
    text: 'SELECT organization_byok($1) AS byok',
    values: [organizationId],
  });
  const text = rows[0]?.byok ?? undefined;
  return text === undefined ? undefined : recallByok(text);
}

/** Decrypts a credential. A record that was moved, edited or bound to another address does not decrypt. */
export function openCredential(sealer: Sealer, byok: Byok, credential: SealedCredential): string {
  const { organizationId } = byok;
  const { id, address, sealed } = credential;
  const text = sealer.open(sealed, { organizationId, id, address });
  if (text !== undefined) return text;
  throw new GatewayError(
    'credential_unreadable',
    'the organization’s own key for this provider cannot be decrypted; enter it again',
    {
      detail:
        `the record ${id} of organization ${organizationId} cannot be decrypted: it was edited, moved, or restored beside ` +
        'another secret; enter the key again (npx sluice provider-keys set, custom-providers update)',
    },
  );
}
