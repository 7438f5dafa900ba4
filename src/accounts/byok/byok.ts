import type { AddressRules } from '#base';
import type { Catalogue, ConfiguredPrice, Provider } from '#catalogue';
import { LRUCache } from 'lru-cache';
import { parseJsonObject } from '#base';

/** Whether custom providers may speak a format. The table `custom_providers` checks the same. */
const MAY_BE_CUSTOM = {
  chat: true,
  messages: true,
  responses: false,
  gemini: true,
  converse: false,
} as const satisfies Record<Provider['format'], boolean>;

type MayBeCustom = typeof MAY_BE_CUSTOM;

export type CustomFormat = {
  [Format in keyof MayBeCustom]: MayBeCustom[Format] extends true ? Format : never;
}[keyof MayBeCustom];

export const CUSTOM_FORMATS = (Object.keys(MAY_BE_CUSTOM) as (keyof MayBeCustom)[]).filter(
  (format): format is CustomFormat => MAY_BE_CUSTOM[format],
);

/** A credential as it is kept: of no use without the installation's secret, its row and its address. */
export interface SealedCredential {
  /** Of the row; another key has another. */
  id: string;
  /** Where it may be sent: the origin of a catalogue provider, the base URL of a custom one. */
  address: string;
  sealed: string;
}

/** A key of an organization for a provider of the catalogue. */
interface OwnKey extends SealedCredential {
  providerId: string;
}

/** A model of an organization's own, called as `provider/model`. */
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

/** A provider of an organization's own. */
export interface CustomProvider extends SealedCredential {
  name: string;
  format: CustomFormat;
  models: readonly CustomModel[];
}

/** What an organization brought along. */
export interface Byok {
  organizationId: string;
  keys: readonly OwnKey[];
  providers: readonly CustomProvider[];
}

/** What the operator's configuration says to what an organization wants to bring along. */
export interface ByokTerms {
  catalogue: Catalogue;
  addresses: AddressRules;
  allowUnpriced: boolean;
}

const MOST_RECALLED = 2_000;
const known = new LRUCache<string, Byok>({ max: MOST_RECALLED });

/** A supply from the JSON text the database has it in; the same text gives the same supply, and so what was made from it. */
export function recallByok(text: string): Byok {
  const recalled = known.get(text);
  if (recalled) return recalled;
  const parsed = parseJsonObject(text);
  if (!parsed) throw new Error('what an organization brought along is not readable');
  const byok = parsed as unknown as Byok;
  known.set(text, byok);
  return byok;
}
