import type { FormatId } from '#canonical';
import type { Mapping, Model, Provider } from '../catalogue.ts';
import type { DialectOverrides } from '../schema/dialect-schema.ts';
import type { Operation, PriceFile, ProtocolId, VideoAbility } from '../schema/file-schema.ts';
import type { Quantization } from '../schema/quantization.ts';
import type { HostedToolEntry } from '../schema/hosted-tool-schema.ts';
import type { HostedTool } from '../hosted-tool.ts';
import { pick, readPrice, readTools } from './build-catalogue.ts';
import { FORMAT_DEFAULTS } from './format-defaults.ts';
import { composeMappingDialect, dialectIn, overrideDialect } from './compose-dialect.ts';
import type { Modifiers } from '../schema/modifier-schema.ts';
import { mergeModifiers } from '../pricing/modifier.ts';
import { repriceTools } from '../price.ts';

/** A price as an operator writes it: USD per million tokens, as decimal strings. */
export type ConfiguredPrice = Omit<PriceFile, 'tiers'>;

export interface ConfiguredModel {
  id: string;
  /** Other names that requests may use for the model. */
  aliases?: readonly string[];
  /** The provider's name for it; defaults to the id. */
  externalId?: string;
  /** The format used for it; defaults to the known one, then the provider's. */
  format?: FormatId;
  name?: string;
  contextLength?: number;
  maxOutput?: number;
  price?: ConfiguredPrice;
  reasoning?: boolean;
  vision?: boolean;
  tools?: boolean;
  operations?: readonly Operation[];
  protocol?: ProtocolId;
  video?: VideoAbility;
  quantization?: Quantization;
  modifiers?: Modifiers;
  hostedTools?: readonly HostedToolEntry[];
  dialect?: DialectOverrides;
}

/** Where a configured model is added. */
interface MappingDestination {
  base: Model;
  provider: Provider;
  /** Overrides for the provider as a whole. */
  overrides: DialectOverrides;
}

/**
 * Anything not configured is taken from the known model at this provider, else from another provider in the same
 * format.
 */
export function configureMapping(place: MappingDestination, configured: ConfiguredModel): Mapping {
  const { base, provider } = place;
  const known = findTemplate(place, configured);
  const { externalId, format } = addressOf(provider, configured, known);
  const vision = configured.vision ?? known?.vision ?? true;
  const usual = FORMAT_DEFAULTS[provider.format];
  const reasoning = configured.reasoning ?? known?.reasoning ?? usual.reasoning;
  const efforts = known?.efforts ?? (configured.reasoning ? [...usual.efforts] : []);
  // Documents, as far as the provider's dialect has them.
  const assumed = new Set(['json-schema', 'documents']);
  if (vision) assumed.add('vision');
  if (reasoning) assumed.add('reasoning');
  const dialect =
    known && known.format === format && sharesDialect(place, known)
      ? overrideDialect(known.dialect, place.overrides)
      : composeMappingDialect(dialectIn(provider, format), { capabilities: assumed, efforts });
  const hostedTools = composeTools(place, configured, known);
  return {
    json: true,
    jsonSchema: true,
    stability: 'stable',
    ...(known && inherit(known, provider)),
    modelId: base.id,
    providerId: provider.id,
    externalId,
    format,
    ...pick(configured, ['contextLength', 'maxOutput', 'operations', 'protocol', 'video', 'quantization']),
    ...configureModifiers(provider, configured, known),
    ...priceOf(place, configured, { known, hostedTools }),
    ...(hostedTools.length > 0 && { hostedTools }),
    dialect: overrideDialect(dialect, configured.dialect ?? {}),
    tools: configured.tools ?? known?.tools ?? true,
    vision,
    reasoning,
    efforts,
    cancellation: provider.cancellation,
  };
}

function configureModifiers(
  provider: Provider,
  configured: ConfiguredModel,
  known: Mapping | undefined,
): Pick<Mapping, 'modifiers'> {
  const own = known?.providerId === provider.id ? known.modifiers : provider.modifiers;
  const modifiers = mergeModifiers(own, configured.modifiers);
  return modifiers ? { modifiers } : {};
}

/** The provider's name for a model and its format; the known ones if the provider is known to serve the model. */
function addressOf(
  provider: Provider,
  configured: ConfiguredModel,
  known: Mapping | undefined,
): Pick<Mapping, 'externalId' | 'format'> {
  const own = known?.providerId === provider.id ? known : undefined;
  return {
    externalId: configured.externalId ?? own?.externalId ?? configured.id,
    format: configured.format ?? own?.format ?? provider.format,
  };
}

function findTemplate(
  { base, provider }: MappingDestination,
  configured: ConfiguredModel,
): Mapping | undefined {
  const own = base.mappings.filter(({ providerId }) => providerId === provider.id);
  const wanted = configured.format ?? provider.format;
  return (
    own.find(({ externalId }) => externalId === configured.externalId) ??
    own[0] ??
    base.mappings.find(({ format }) => format === wanted)
  );
}

/**
 * A closed model behaves the same at every relay; open weights, and all models of a cloud, use the dialect of the
 * serving provider.
 */
function sharesDialect({ base, provider }: MappingDestination, known: Mapping): boolean {
  return known.providerId === provider.id || (!base.openWeights && provider.cloud === undefined);
}

/** A price, its validity and the precision belong to the provider; limits and abilities belong to the model. */
function inherit(known: Mapping, provider: Provider): Mapping {
  const inherited = { ...known };
  // The operator chose this region, so the model's name selects it.
  delete inherited.region;
  if (known.providerId === provider.id) return inherited;
  inherited.stability = 'stable';
  delete inherited.price;
  delete inherited.quantization;
  delete inherited.modifiers;
  delete inherited.hostedTools;
  delete inherited.deprecatedAt;
  delete inherited.deactivatedAt;
  return inherited;
}

/** The model's own prices of hosted tools, then its provider's. */
function composeTools(
  { base, provider }: MappingDestination,
  configured: ConfiguredModel,
  known: Mapping | undefined,
): readonly HostedTool[] {
  const own = readTools(`model ${configured.id} at ${provider.id}`, base.id, configured.hostedTools ?? []);
  const usual =
    known?.providerId === provider.id
      ? (known.hostedTools ?? [])
      : readTools(`provider ${provider.id}`, base.id, provider.hostedTools ?? []);
  return [...own, ...usual];
}

interface Inherited {
  known: Mapping | undefined;
  hostedTools: readonly HostedTool[];
}

function priceOf(
  { provider }: MappingDestination,
  configured: ConfiguredModel,
  { known, hostedTools }: Inherited,
): Pick<Mapping, 'price'> {
  if (configured.price) {
    const where = `model ${configured.id} at ${provider.id}`;
    return { price: readPrice(where, configured.price, hostedTools) };
  }
  const price = known?.providerId === provider.id ? known.price : undefined;
  return price ? { price: configured.hostedTools ? repriceTools(price, hostedTools) : price } : {};
}
