import { encodeTime } from '#base';
import type { Catalogue, Mapping, Model, Stability } from '../catalogue.ts';
import type { MappingEntry, ModelEntry } from './model-entry.ts';
import { describeModelPricing, describePricing } from './describe-pricing.ts';
import { listParameters } from './list-parameters.ts';
import { supportsOperation } from '../operation.ts';
import { isActive } from '../names/resolve-model.ts';
import { isFree } from '../price.ts';

/** Which models and mappings a listing shows, and how. */
export interface ListOptions {
  includeDeactivated: boolean;
  excludeDeprecated: boolean;
  /** Only providers known not to train on API data. */
  noTraining: boolean;
  /** One entry per mapping, named `provider/model`. */
  mapped: boolean;
  /** Milliseconds since the Unix epoch. */
  now: number;
  /** Further narrowing: access rules, private providers. */
  allows?: (mapping: Mapping, catalogue: Catalogue) => boolean;
}

/** One entry's subject: a model with its mappings that are shown. */
export interface ListedModel {
  model: Model;
  mappings: readonly Mapping[];
}

/** The entries of `GET /v1/models`, in the catalogue's order. Pure: the same catalogue and options give the same entries. */
export function listModels(catalogue: Catalogue, options: ListOptions): ModelEntry[] {
  return selectListed(catalogue, options).map((listed) => describeListed(listed, options));
}

/** The listed models, in the catalogue's order. */
export function selectListed(catalogue: Catalogue, options: ListOptions): ListedModel[] {
  const selected: ListedModel[] = [];
  for (const model of catalogue.models.values()) {
    const mappings = model.mappings.filter((mapping) => isShown(catalogue, mapping, options));
    if (options.mapped) for (const mapping of mappings) selected.push({ model, mappings: [mapping] });
    else if (mappings.some(({ region }) => region === undefined)) selected.push({ model, mappings });
  }
  return selected;
}

/** The entry of a listed model; in a mapped listing it has one mapping and its pinned name. */
export function describeListed(
  { model, mappings }: ListedModel,
  { mapped, now }: Pick<ListOptions, 'mapped' | 'now'>,
): ModelEntry {
  const entry = describeModel(model, mappings, now);
  if (!mapped) return entry;
  const pin = (name: string): string => pinName({ model, mappings }, name);
  const [mapping] = mappings;
  if (mapping?.region !== undefined) return { ...entry, id: pin(mapping.externalId), aliases: [] };
  return { ...entry, id: pin(model.id), aliases: model.aliases.map(pin) };
}

/** A name pinned to the one listed provider; some models' names are pinned already. */
export function pinName({ model, mappings }: ListedModel, name: string): string {
  const start = `${mappings[0]?.providerId ?? ''}/`;
  return name.startsWith(start) && model.mappings.length === 1 ? name : start + name;
}

function isShown(catalogue: Catalogue, mapping: Mapping, options: ListOptions): boolean {
  if (!options.includeDeactivated && !isActive(mapping, options.now)) return false;
  if (options.excludeDeprecated && isDeprecated(mapping, options.now)) return false;
  if (options.noTraining && catalogue.providers.get(mapping.providerId)?.trainsOnData !== false) return false;
  return options.allows?.(mapping, catalogue) ?? true;
}

export function isDeprecated({ stability, deprecatedAt }: Mapping, now: number): boolean {
  return stability === 'deprecated' || (deprecatedAt !== undefined && deprecatedAt <= now);
}

function describeModel(model: Model, mappings: readonly Mapping[], now: number): ModelEntry {
  const active = mappings.filter((mapping) => isActive(mapping, now));
  const usable = active.length > 0 ? active : mappings;
  const contextLength = Math.max(0, ...usable.map((mapping) => mapping.contextLength ?? 0));
  const maxOutput = smallest(usable.map((mapping) => mapping.maxOutput));
  const deprecatedAt = latest(mappings, 'deprecatedAt');
  const deactivatedAt = latest(mappings, 'deactivatedAt');
  return {
    id: model.id,
    type: 'model',
    object: 'model',
    owned_by: model.family,
    name: model.name,
    display_name: model.name,
    aliases: model.aliases,
    created: Math.floor(model.createdAt / 1000),
    created_at: encodeTime(model.createdAt),
    description: model.description,
    family: model.family,
    architecture: {
      input_modalities: model.modalities.input,
      output_modalities: model.modalities.output,
      tokenizer: model.tokenizer,
    },
    top_provider: { is_moderated: false },
    providers: mappings.map((mapping) => describeMapping(mapping)),
    pricing: describeModelPricing(findCheapest(usable)),
    context_length: contextLength,
    max_output: maxOutput,
    max_input_tokens: contextLength || null,
    max_tokens: maxOutput || null,
    per_request_limits: {},
    supported_parameters: listParameters(usable),
    json_output: usable.some(({ json }) => json),
    structured_outputs: usable.some(({ jsonSchema }) => jsonSchema),
    free: usable.every(({ price }) => price !== undefined && isFree(price)),
    ...(deprecatedAt !== undefined && { deprecated_at: encodeTime(deprecatedAt) }),
    ...(deactivatedAt !== undefined && { deactivated_at: encodeTime(deactivatedAt) }),
    lifecycle: findLifecycle(mappings, now),
    retires_at: encodeTime(deactivatedAt),
    stability: bestStability(usable),
  };
}

/** The stage in Anthropic's terms: a model that is to be shut down is deprecated. */
function findLifecycle(mappings: readonly Mapping[], now: number): ModelEntry['lifecycle'] {
  const active = mappings.filter((mapping) => isActive(mapping, now));
  if (active.length === 0) return 'retired';
  const isEnding = (mapping: Mapping) => mapping.deactivatedAt !== undefined || isDeprecated(mapping, now);
  return active.every(isEnding) ? 'deprecated' : 'active';
}

function describeMapping(mapping: Mapping): MappingEntry {
  return {
    providerId: mapping.providerId,
    externalId: mapping.externalId,
    supportedVideoSizes: mapping.video?.sizes ?? [],
    supportsVideoAudio: mapping.video !== undefined && mapping.video.audio !== 'never',
    supportsVideoWithoutAudio: mapping.video !== undefined && mapping.video.audio !== 'always',
    pricing: describePricing(mapping),
    streaming: supportsOperation(mapping, 'generations'),
    vision: mapping.vision,
    realtime: false,
    cancellation: mapping.cancellation !== 'none',
    tools: mapping.tools,
    parallelToolCalls: mapping.tools && mapping.dialect.parallelToolCalls,
    reasoning: mapping.reasoning,
    reasoning_efforts: mapping.efforts,
    min_cacheable_tokens: mapping.minCacheableTokens ?? 0,
    max_output: mapping.maxOutput ?? 0,
    ...(mapping.quantization && { quantization: mapping.quantization }),
    stability: mapping.stability,
  };
}

/** Mappings with a price first, by the sum of input and output price per token, then by the order of the catalogue. */
function findCheapest(mappings: readonly Mapping[]): Mapping {
  return mappings.reduce((best, mapping) => (isCheaper(mapping, best) ? mapping : best));
}

function isCheaper({ price: a }: Mapping, { price: b }: Mapping): boolean {
  if (!a || !b) return a !== undefined && b === undefined;
  return a.parts.inputUncached + a.parts.outputText < b.parts.inputUncached + b.parts.outputText;
}

/** The latest value of a date field; `undefined` unless every mapping has one. */
function latest(mappings: readonly Mapping[], field: 'deprecatedAt' | 'deactivatedAt'): number | undefined {
  let last = -Infinity;
  for (const mapping of mappings) {
    const time = mapping[field];
    if (time === undefined) return undefined;
    if (time > last) last = time;
  }
  return last;
}

function smallest(values: readonly (number | undefined)[]): number {
  const declared = values.filter((value) => value !== undefined);
  return declared.length === 0 ? 0 : Math.min(...declared);
}

const BY_STABILITY: Record<Stability, number> = { stable: 0, beta: 1, deprecated: 2 };

function bestStability(mappings: readonly Mapping[]): Stability {
  return mappings.reduce<Stability>(
    (best, { stability }) => (BY_STABILITY[stability] < BY_STABILITY[best] ? stability : best),
    'deprecated',
  );
}
