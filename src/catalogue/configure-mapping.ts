import type { Effort } from '#canonical';
import type { Mapping, Model, Provider } from './catalogue.ts';
import type { DialectOverrides } from './dialect-schema.ts';
import { CatalogueError, pick } from './build-catalogue.ts';
import { composeMappingDialect, overrideDialect } from './compose-dialect.ts';
import { parsePrice } from './price.ts';

/** A price as an operator writes it: USD per million tokens, as decimal strings. */
export interface ConfiguredPrice {
  input: string;
  output: string;
  cacheRead?: string;
  cacheWrite5m?: string;
  cacheWrite1h?: string;
}

export interface ConfiguredModel {
  id: string;
  /** The provider's name for it; the id unless given. */
  externalId?: string;
  name?: string;
  contextLength?: number;
  maxOutput?: number;
  price?: ConfiguredPrice;
  reasoning?: boolean;
  vision?: boolean;
  tools?: boolean;
  dialect?: DialectOverrides;
}

const USUAL_EFFORTS: Effort[] = ['low', 'medium', 'high'];

/** Where a configured model goes. */
export interface Place {
  base: Model;
  provider: Provider;
  providers: ReadonlyMap<string, Provider>;
  /** What the provider as a whole changes. */
  overrides: DialectOverrides;
}

/** What is not configured comes from what is known of the model at this provider, else elsewhere in the same format. */
export function configureMapping(place: Place, configured: ConfiguredModel): Mapping {
  const { base, provider } = place;
  const known = findTemplate(place);
  const vision = configured.vision ?? known?.vision ?? true;
  const reasoning = configured.reasoning ?? known?.reasoning ?? provider.format === 'messages';
  const efforts = known?.efforts ?? (configured.reasoning && provider.format === 'chat' ? USUAL_EFFORTS : []);
  const assumed = new Set(['json-schema']);
  if (vision) assumed.add('vision');
  if (reasoning) assumed.add('reasoning');
  if (provider.format === 'messages') assumed.add('documents');
  const dialect =
    known && sharesDialect(place, known)
      ? overrideDialect(known.dialect, place.overrides)
      : composeMappingDialect(provider.dialect, { capabilities: assumed, efforts });
  return {
    json: true,
    jsonSchema: true,
    stability: 'stable',
    ...(known && inherit(known, provider)),
    modelId: base.id,
    providerId: provider.id,
    externalId:
      configured.externalId ?? (known?.providerId === provider.id ? known.externalId : configured.id),
    ...pick(configured, ['contextLength', 'maxOutput']),
    ...(configured.price && { price: readPrice(provider, configured) }),
    dialect: overrideDialect(dialect, configured.dialect ?? {}),
    tools: configured.tools ?? known?.tools ?? true,
    vision,
    reasoning,
    efforts,
    cancellation: provider.cancellation,
  };
}

function findTemplate({ base, provider, providers }: Place): Mapping | undefined {
  return (
    base.mappings.find(({ providerId }) => providerId === provider.id) ??
    base.mappings.find(({ providerId }) => providers.get(providerId)?.format === provider.format)
  );
}

/** A closed model is the same wherever it is relayed; open weights speak the dialect of whoever serves them. */
function sharesDialect({ base, provider }: Place, known: Mapping): boolean {
  return known.providerId === provider.id || !base.openWeights;
}

/** A price and a life span belong to the provider that has them; limits and abilities to the model. */
function inherit(known: Mapping, provider: Provider): Mapping {
  if (known.providerId === provider.id) return known;
  const inherited: Mapping = { ...known, stability: 'stable' };
  delete inherited.price;
  delete inherited.deprecatedAt;
  delete inherited.deactivatedAt;
  return inherited;
}

function readPrice(provider: Provider, configured: ConfiguredModel): NonNullable<Mapping['price']> {
  try {
    if (!configured.price) throw new RangeError('price: missing');
    return parsePrice(configured.price);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CatalogueError(`model ${configured.id} at ${provider.id}: ${reason}`);
  }
}
