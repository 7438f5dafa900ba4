import type { CatalogueFiles, MappingFile, ModelFile, ProviderFile } from '../schema/file-schema.ts';
import type { ProviderTerms } from './feed-document.ts';
import { type FilesAt, datePrices } from '../pricing/dated-price.ts';
import { type PriceTerms, termsOf, withTerms } from './terms.ts';

/** Terms in force until a moment, after which those of the entry apply. */
export interface PendingTerms {
  was: PriceTerms;
  from: number;
}

export type StatedMapping = MappingFile & {
  pending?: PendingTerms;
  /** No feed has it any more: it is shut down from this moment on. */
  removedAt?: number;
};

export type StatedModel = Omit<ModelFile, 'mappings'> & { mappings: StatedMapping[] };

type StatedProvider = ProviderTerms & { pending?: PendingTerms };

/** The combined state of a publisher's feeds: the latest one, and announced changes. */
export interface FeedState {
  providers: StatedProvider[];
  models: StatedModel[];
  /** Providers of the latest feed that this version does not know: their entries are left out. */
  unknown: string[];
}

/** The terms that count at a moment. */
export function termsAt(entry: PriceTerms & { pending?: PendingTerms }, now: number): PriceTerms {
  return termsOf(entry.pending && now < entry.pending.from ? entry.pending.was : entry);
}

/** The built-in catalogue with the feeds applied. */
export function composeFiles(built: CatalogueFiles, state: FeedState, now: number): FilesAt {
  const terms = new Map(state.providers.map((provider) => [provider.id, provider]));
  const providers = built.providers.map((provider): ProviderFile => {
    const stated = terms.get(provider.id);
    return stated ? withTerms(provider, termsAt(stated, now)) : provider;
  });
  const builtById = new Map(built.models.map((model) => [model.id, model]));
  const models = state.models.map((model) => composeModel(model, builtById.get(model.id), now));
  const moments = [...state.providers, ...state.models.flatMap(({ mappings }) => mappings)]
    .flatMap(({ pending }) => (pending ? [pending.from] : []))
    .filter((from) => from > now);
  const stated = { providers, models: [...models, ...listUntouched(built, models)] };
  const { files, nextAt: datedAt = Infinity } = datePrices(stated, now);
  const nextAt = Math.min(datedAt, ...moments);
  return { files, ...(nextAt < Infinity && { nextAt }) };
}

function composeModel(model: StatedModel, built: ModelFile | undefined, now: number): ModelFile {
  const stated = new Set(model.mappings.map(({ provider }) => provider));
  const others = built?.mappings.filter(({ provider }) => !stated.has(provider)) ?? [];
  return {
    ...model,
    mappings: [...model.mappings.map((mapping) => composeMapping(mapping, now)), ...others],
  };
}

function composeMapping(stated: StatedMapping, now: number): MappingFile {
  const { pending: _, removedAt, ...mapping } = withTerms(stated, termsAt(stated, now));
  if (removedAt === undefined) return mapping;
  const { deactivatedAt = '9999-12-31' } = mapping;
  return {
    ...mapping,
    deactivatedAt: new Date(Math.min(removedAt, Date.parse(deactivatedAt))).toISOString(),
  };
}

/** Models that no feed ever had. A name that a feed gives to another model is no longer theirs. */
function listUntouched(built: CatalogueFiles, models: readonly ModelFile[]): ModelFile[] {
  const taken = new Set(models.flatMap(({ id, aliases = [] }) => [id, ...aliases]).map(toKey));
  return built.models
    .filter(({ id }) => !taken.has(toKey(id)))
    .map((model) =>
      model.aliases ? { ...model, aliases: model.aliases.filter((name) => !taken.has(toKey(name))) } : model,
    );
}

const toKey = (name: string): string => name.toLowerCase();
