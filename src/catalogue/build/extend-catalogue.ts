import type { FormatId } from '#canonical';
import type { Catalogue, Mapping, Model, Provider } from '../catalogue.ts';
import type { DialectOverrides } from '../schema/dialect-schema.ts';
import type { Cancellation, CloudId, PrivacyFacts, VideoProtocolId } from '../schema/file-schema.ts';
import type { DeclaredAbilities } from './compose-dialect.ts';
import type { ConfiguredModel } from './configure-mapping.ts';
import type { HostedToolEntry } from '../schema/hosted-tool-schema.ts';
import { CatalogueError, areFree, joinModels, pick, readTools } from './build-catalogue.ts';
import { composeMappingDialect, composeProviderDialect, overrideDialect } from './compose-dialect.ts';
import { FORMAT_DEFAULTS } from './format-defaults.ts';
import { configureMapping } from './configure-mapping.ts';
import type { Modifiers } from '../schema/modifier-schema.ts';
import { mergeModifiers } from '../pricing/modifier.ts';
import { repriceTools } from '../price.ts';
import { findModel } from '../names/resolve-model.ts';

/** A provider in `sluice.yaml`: overrides for one in the catalogue, or a custom one. */
export interface ConfiguredProvider {
  id: string;
  format?: FormatId;
  /** The cloud of a custom provider. */
  cloud?: CloudId;
  baseUrl?: string;
  name?: string;
  videoProtocol?: VideoProtocolId;
  /** Which requests it stops, and stops billing, when their connection is closed. */
  cancellation?: Cancellation;
  /** Privacy facts from the operator, on top of the catalogue's. */
  privacy?: PrivacyFacts;
  /** Override the catalogue's for the provider and its models, value by value. */
  modifiers?: Modifiers;
  /** Prices of tools that run at the provider; these come before the catalogue's. */
  hostedTools?: readonly HostedToolEntry[];
  dialect?: DialectOverrides;
  models?: ConfiguredModel[];
}

/** A catalogue with the operator's providers and models added; the given one is not changed. */
export function extendCatalogue(catalogue: Catalogue, configured: readonly ConfiguredProvider[]): Catalogue {
  let extended = catalogue;
  for (const entry of configured) extended = extendByProvider(extended, entry);
  return extended;
}

function extendByProvider(catalogue: Catalogue, entry: ConfiguredProvider): Catalogue {
  const known = catalogue.providers.get(entry.id);
  const provider = known ? overrideProvider(known, entry) : createProvider(entry);
  const providers = new Map(catalogue.providers).set(provider.id, provider);
  const models = new Map(catalogue.models);
  if (known) rebaseMappings(models, { known, provider }, entry);
  if (known && entry.hostedTools) repriceMappings(models, known.id, entry.hostedTools);
  for (const model of entry.models ?? []) {
    const existing = findModel(catalogue, model.id);
    const found = models.get(existing?.id ?? model.id) ?? createModel(provider, model);
    const base = addAliases(found, model, catalogue.names);
    models.set(
      base.id,
      placeMapping(base, configureMapping({ base, provider, overrides: entry.dialect ?? {} }, model)),
    );
  }
  return joinModels(providers, [...models.values()]);
}

const CLOUD_AUTH: Record<CloudId, Provider['auth']> = {
  bedrock: 'bearer',
  azure: 'api-key',
  vertex: 'x-goog-api-key',
};

function createProvider(entry: ConfiguredProvider): Provider {
  const format = entry.format ?? 'chat';
  return {
    id: entry.id,
    name: entry.name ?? entry.id,
    format,
    env: [],
    auth: entry.cloud ? CLOUD_AUTH[entry.cloud] : FORMAT_DEFAULTS[format].auth,
    cancellation: entry.cancellation ?? 'none',
    dialect: composeProviderDialect(format, entry.dialect),
    ...pick(entry, ['baseUrl', 'cloud', 'videoProtocol', 'modifiers', 'hostedTools']),
    ...entry.privacy,
  };
}

function overrideProvider(known: Provider, entry: ConfiguredProvider): Provider {
  const modifiers = mergeModifiers(known.modifiers, entry.modifiers);
  const changed = {
    ...known,
    ...pick(entry, ['baseUrl', 'name', 'videoProtocol', 'cancellation']),
    ...(modifiers && { modifiers }),
    ...entry.privacy,
    ...(entry.hostedTools && { hostedTools: [...entry.hostedTools, ...(known.hostedTools ?? [])] }),
  };
  if (entry.format === undefined || entry.format === known.format) {
    return { ...changed, dialect: overrideDialect(known.dialect, entry.dialect ?? {}) };
  }
  const { format, auth, dialect } = createProvider(entry);
  return { ...changed, format, auth, dialect };
}

/**
 * Applies a changed provider's new modifiers and dialect to its mappings; their own refinements do not apply to another
 * format.
 */
function rebaseMappings(
  models: Map<string, Model>,
  { known, provider }: { known: Provider; provider: Provider },
  entry: Pick<ConfiguredProvider, 'dialect' | 'modifiers' | 'cancellation'>,
): void {
  const { dialect: overrides, modifiers: changed } = entry;
  const speaksOther = known.format !== provider.format;
  if (!speaksOther && !overrides && !changed && !entry.cancellation) return;
  const { cancellation } = provider;
  for (const model of models.values()) {
    if (!model.mappings.some(({ providerId }) => providerId === known.id)) continue;
    const mappings = model.mappings.map((mapping) => {
      if (mapping.providerId !== known.id) return mapping;
      const modifiers = mergeModifiers(mapping.modifiers, changed);
      const rebased = { ...mapping, cancellation, ...(modifiers && { modifiers }) };
      if (!speaksOther) return { ...rebased, dialect: overrideDialect(mapping.dialect, overrides ?? {}) };
      const dialect = composeMappingDialect(provider.dialect, abilitiesOf(mapping));
      return { ...rebased, format: provider.format, dialect };
    });
    models.set(model.id, { ...model, mappings });
  }
}

/** Applies the operator's prices of hosted tools to a provider's mappings. */
function repriceMappings(
  models: Map<string, Model>,
  providerId: string,
  entries: readonly HostedToolEntry[],
): void {
  for (const model of models.values()) {
    if (!model.mappings.some((mapping) => mapping.providerId === providerId)) continue;
    const own = readTools(`provider ${providerId}`, model.id, entries);
    if (own.length === 0) continue;
    const mappings = model.mappings.map((mapping) => {
      if (mapping.providerId !== providerId) return mapping;
      const hostedTools = [...own, ...(mapping.hostedTools ?? [])];
      const { price } = mapping;
      return { ...mapping, hostedTools, ...(price && { price: repriceTools(price, hostedTools) }) };
    });
    models.set(model.id, { ...model, mappings });
  }
}

function abilitiesOf({ vision, reasoning, json, jsonSchema, dialect, efforts }: Mapping): DeclaredAbilities {
  const capabilities = new Set<string>();
  if (vision) capabilities.add('vision');
  if (dialect.media.document) capabilities.add('documents');
  if (dialect.media.audio) capabilities.add('audio');
  if (reasoning) capabilities.add('reasoning');
  if (jsonSchema) capabilities.add('json-schema');
  else if (json) capabilities.add('json');
  return { capabilities, efforts };
}

function createModel(provider: Provider, configured: ConfiguredModel): Model {
  return {
    id: configured.id,
    name: configured.name ?? configured.id,
    family: provider.id,
    aliases: [],
    description: `${configured.name ?? configured.id}, as configured at ${provider.name}.`,
    createdAt: 0,
    modalities: { input: configured.vision === false ? ['text'] : ['text', 'image'], output: ['text'] },
    tokenizer: 'Other',
    openWeights: false,
    free: false,
    mappings: [],
  };
}

/** Several providers of a model may name the same. */
function addAliases(model: Model, { aliases = [] }: ConfiguredModel, names: Catalogue['names']): Model {
  for (const alias of aliases) {
    const owner = names.get(alias.toLowerCase()) ?? model.id;
    if (owner !== model.id)
      throw new CatalogueError(`"${alias}" cannot be an alias of ${model.id}: it is a name of ${owner}`);
  }
  return aliases.length === 0 ? model : { ...model, aliases: [...new Set([...model.aliases, ...aliases])] };
}

function placeMapping(model: Model, mapping: Mapping): Model {
  const others = model.mappings.filter(
    ({ providerId, externalId, region }) =>
      providerId !== mapping.providerId || (region !== undefined && externalId !== mapping.externalId),
  );
  const mappings = [...others, mapping];
  return { ...model, mappings, free: areFree(mappings) };
}
