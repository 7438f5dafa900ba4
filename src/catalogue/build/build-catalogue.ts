import { type Steps, reasonOf, runAtOnce } from '#base';
import type { Catalogue, Mapping, Model, Provider } from '../catalogue.ts';
import type {
  CatalogueFiles,
  MappingFile,
  ModelFile,
  PriceFile,
  ProviderFile,
} from '../schema/file-schema.ts';
import {
  composeMappingDialect,
  composeProviderDialect,
  composeProviderDialects,
  dialectIn,
} from './compose-dialect.ts';
import { mergeModifiers } from '../pricing/modifier.ts';
import type { HostedToolEntry } from '../schema/hosted-tool-schema.ts';
import { type HostedTool, selectTools } from '../hosted-tool.ts';
import { isFree, parsePrice, scalePrice } from '../price.ts';

/** Thrown when the catalogue's data contradicts itself; the message names the entry and the field. */
export class CatalogueError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CatalogueError';
  }
}

/** Joins validated data files into a catalogue. */
export function buildCatalogue(files: CatalogueFiles): Catalogue {
  return runAtOnce(buildInSteps(files));
}

/** The same, a step for each model. */
export function* buildInSteps(files: CatalogueFiles): Steps<Catalogue> {
  const providers = new Map<string, Provider>();
  for (const file of files.providers) {
    if (providers.has(file.id)) throw new CatalogueError(`provider ${file.id} is defined twice`);
    providers.set(file.id, toProvider(file));
  }
  const models: Model[] = [];
  for (const file of files.models) {
    models.push(toModel(file, providers));
    yield;
  }
  return joinModels(providers, models);
}

/** A catalogue of these providers and models, with its index of names. */
export function joinModels(providers: ReadonlyMap<string, Provider>, models: readonly Model[]): Catalogue {
  const byId = new Map<string, Model>();
  const names = new Map<string, string>();
  for (const model of models) {
    if (byId.has(model.id)) throw new CatalogueError(`model ${model.id} is defined twice`);
    byId.set(model.id, model);
    for (const name of [model.id, ...model.aliases]) {
      const key = name.toLowerCase();
      const other = names.get(key);
      if (other !== undefined)
        throw new CatalogueError(`model ${model.id}: the name ${name} belongs to ${other}`);
      names.set(key, model.id);
    }
  }
  return { providers, models: byId, names };
}

function toProvider(file: ProviderFile): Provider {
  return {
    id: file.id,
    name: file.name,
    format: file.format,
    env: file.env ?? [],
    auth: file.auth ?? 'bearer',
    cancellation: file.cancellation ?? 'none',
    dialect: composeProviderDialect(file.format, file.dialect),
    ...pick(file, ['baseUrl', 'cloud', 'media', 'videoProtocol', 'modifiers', 'hostedTools']),
    ...(file.dialects && { dialects: composeProviderDialects(file.dialects) }),
    ...(file.privacy && pick(file.privacy, ['trainsOnData', 'zeroRetention', 'regions'])),
    ...(file.docs !== undefined && { docs: file.docs }),
  };
}

function toModel(file: ModelFile, providers: ReadonlyMap<string, Provider>): Model {
  const mappings = file.mappings.flatMap((mapping) => toMappings(file, mapping, providers));
  return {
    id: file.id,
    name: file.name,
    family: file.family,
    aliases: file.aliases ?? [],
    description: file.description,
    createdAt: Date.parse(file.created),
    modalities: { input: file.input, output: file.output },
    tokenizer: file.tokenizer,
    openWeights: file.openWeights ?? false,
    free: areFree(mappings),
    mappings,
    ...(file.premium !== undefined && { premium: file.premium }),
    ...(file.successor !== undefined && { successor: file.successor }),
  };
}

/** Whether a request is free at every one of these mappings. */
export function areFree(mappings: readonly Mapping[]): boolean {
  return mappings.length > 0 && mappings.every(({ price }) => price !== undefined && isFree(price));
}

/** A mapping, followed by its regional ones. */
function toMappings(
  model: ModelFile,
  file: MappingFile,
  providers: ReadonlyMap<string, Provider>,
): Mapping[] {
  const mapping = toMapping(model, file, providers);
  const { priceFactor = '1', externalIds = {} } = file.regional ?? {};
  const price = mapping.price && scalePrice(mapping.price, priceFactor);
  const regional = Object.entries(externalIds).map(([region, externalId]) => ({
    ...mapping,
    externalId,
    region,
    ...(price && { price }),
  }));
  return [mapping, ...regional];
}

function toMapping(model: ModelFile, file: MappingFile, providers: ReadonlyMap<string, Provider>): Mapping {
  const provider = providers.get(file.provider);
  if (!provider)
    throw new CatalogueError(`model ${model.id}: provider ${file.provider} is not in the catalogue`);
  const capabilities = new Set<string>(file.capabilities);
  const efforts = file.efforts ?? [];
  const { format = provider.format } = file;
  const modifiers = mergeModifiers(provider.modifiers, file.modifiers);
  const where = `model ${model.id} at ${file.provider}`;
  const hostedTools = readTools(where, model.id, [
    ...(file.hostedTools ?? []),
    ...(provider.hostedTools ?? []),
  ]);
  return {
    modelId: model.id,
    providerId: provider.id,
    externalId: file.externalId,
    format,
    ...pick(file, ['contextLength', 'maxOutput', 'minCacheableTokens', 'imageTokens', 'quantization']),
    ...pick(file, ['operations', 'protocol', 'video', 'leastAudioSeconds']),
    ...(modifiers && { modifiers }),
    ...(file.price && { price: readPrice(where, file.price, hostedTools) }),
    ...(hostedTools.length > 0 && { hostedTools }),
    dialect: composeMappingDialect(dialectIn(provider, format), { capabilities, efforts }, file.dialect),
    tools: capabilities.has('tools'),
    vision: capabilities.has('vision'),
    reasoning: capabilities.has('reasoning'),
    efforts,
    json: capabilities.has('json') || capabilities.has('json-schema'),
    jsonSchema: capabilities.has('json-schema'),
    cancellation: provider.cancellation,
    stability: file.stability ?? 'stable',
    ...(file.deprecatedAt !== undefined && { deprecatedAt: Date.parse(file.deprecatedAt) }),
    ...(file.deactivatedAt !== undefined && { deactivatedAt: Date.parse(file.deactivatedAt) }),
    ...(model.premium !== undefined && { premium: model.premium }),
  };
}

export function readTools(
  where: string,
  modelId: string,
  entries: readonly HostedToolEntry[],
): readonly HostedTool[] {
  try {
    return selectTools(entries, modelId);
  } catch (error) {
    throw new CatalogueError(`${where}: ${reasonOf(error)}`);
  }
}

/** Parses a price; throws CatalogueError that begins with where it is written. */
export function readPrice(
  where: string,
  price: PriceFile,
  tools: readonly HostedTool[],
): NonNullable<Mapping['price']> {
  try {
    return parsePrice(price, tools);
  } catch (error) {
    throw new CatalogueError(`${where}: ${reasonOf(error)}`);
  }
}

/** The named fields of an object, without undefined ones. */
export function pick<T, K extends keyof T>(source: T, keys: readonly K[]): { [P in K]?: NonNullable<T[P]> } {
  const picked: { [P in K]?: NonNullable<T[P]> } = {};
  for (const key of keys) {
    const value = source[key];
    if (value !== undefined && value !== null) picked[key] = value;
  }
  return picked;
}
