import { select } from '#base';
import type { Catalogue, Mapping, Model } from '../catalogue.ts';
import { withoutAuthor } from './author.ts';
import { findClosestNames } from './closest-names.ts';
import { type NameSuffix, readSuffix } from './name-suffix.ts';

/** The meaning of a model name in a request. */
export type Resolution =
  | {
      kind: 'found';
      model: Model;
      mappings: readonly Mapping[];
      isPinned: boolean;
      /** The strategy that a suffix of the name asks for. */
      strategy?: NonNullable<NameSuffix['strategy']>;
    }
  | {
      kind: 'unknown';
      closest: string[];
      /** Why, where it is not a wrong name, and what to do instead. */
      reason?: string;
    }
  | { kind: 'deactivated'; since: string; successor?: string };

/** A client's marker for a long context window; never sent to a provider. */
const WINDOW_MARK = /\[1m\]$/i;

/** OpenRouter's choice of a model by the prompt. */
const AUTOMATIC = 'openrouter/auto';

/**
 * Finds the mappings a name may be served by: `model` or an alias (any provider), `provider/model` or
 * `provider/externalId` (that provider only), `author/model` of OpenRouter (any provider), each with a suffix of
 * OpenRouter's. `now` is in milliseconds since the Unix epoch.
 */
export function resolveModel(catalogue: Catalogue, name: string, now: number): Resolution {
  const wanted = name.trim().replace(WINDOW_MARK, '');
  const exact = resolveExact(catalogue, wanted, now);
  if (exact) return exact;
  const suffixed = readSuffix(wanted);
  if (suffixed) return resolveSuffixed(catalogue, suffixed, now);
  if (wanted.toLowerCase() === AUTOMATIC) return refuseAutomatic();
  return { kind: 'unknown', closest: suggest(catalogue, wanted, now) };
}

/** Undefined for an unknown name. */
function resolveExact(catalogue: Catalogue, name: string, now: number): Resolution | undefined {
  const pin = findPin(catalogue, name);
  const author = pin ? undefined : withoutAuthor(name);
  const model =
    findModel(catalogue, name) ?? (author === undefined ? undefined : findModel(catalogue, author));
  if (model) return decide({ model, mappings: select(model.mappings, isGeneral), isPinned: false }, now);
  return pin && resolvePinned(catalogue, pin, now);
}

function resolveSuffixed(
  catalogue: Catalogue,
  { name, suffix, strategy, instead }: NameSuffix,
  now: number,
): Resolution {
  const found = resolveExact(catalogue, name, now);
  if (strategy) {
    if (found?.kind === 'found') return { ...found, strategy };
    return found ?? { kind: 'unknown', closest: suggest(catalogue, name, now) };
  }
  if (found?.kind === 'deactivated') return found;
  const reason = `the suffix ${suffix} is not supported`;
  if (!found) return { kind: 'unknown', closest: suggest(catalogue, name, now), reason };
  return { kind: 'unknown', closest: [], reason: `${reason}; use ${name}, and ${instead}` };
}

function refuseAutomatic(): Resolution {
  const reason = 'the gateway does not choose a model; name one, and in models others to try after it';
  return { kind: 'unknown', closest: [], reason };
}

interface Pin {
  providerId: string;
  name: string;
}

/** A model by its id or an alias. */
export function findModel(catalogue: Catalogue, name: string): Model | undefined {
  const id = catalogue.names.get(name.toLowerCase());
  return id === undefined ? undefined : catalogue.models.get(id);
}

/** A provider's mapping by one of the model's names here, or by the provider's own. */
export function findMapping(catalogue: Catalogue, pin: Pin, now: number): Mapping | undefined {
  const named = findModel(catalogue, pin.name)?.mappings.filter(
    (mapping) => mapping.providerId === pin.providerId && isGeneral(mapping),
  );
  const mapping = named?.find((each) => isActive(each, now)) ?? findExternal(catalogue, pin)?.mapping;
  return mapping && isActive(mapping, now) ? mapping : undefined;
}

/** The provider that a name begins with, and the rest of the name. */
function findPin({ providers }: Catalogue, name: string): Pin | undefined {
  const slash = name.indexOf('/');
  const provider = slash === -1 ? undefined : providers.get(name.slice(0, slash));
  return provider && { providerId: provider.id, name: name.slice(slash + 1) };
}

function resolvePinned(catalogue: Catalogue, pin: Pin, now: number): Resolution | undefined {
  const model = findModel(catalogue, pin.name);
  const pinned =
    model?.mappings.filter((mapping) => mapping.providerId === pin.providerId && isGeneral(mapping)) ?? [];
  if (model && pinned.length > 0) return decide({ model, mappings: pinned, isPinned: true }, now);
  const external = findExternal(catalogue, pin);
  return external && decide({ model: external.model, mappings: [external.mapping], isPinned: true }, now);
}

/** Similar names at a provider, after the model itself if only others serve it. */
function suggestPinned(catalogue: Catalogue, pin: Pin, now: number): string[] {
  const model = findModel(catalogue, pin.name);
  const served = [...catalogue.models.values()].filter(({ mappings }) =>
    mappings.some((mapping) => mapping.providerId === pin.providerId && isActive(mapping, now)),
  );
  const start = `${pin.providerId}/`;
  const names = [...namesOf(served)].map((name) =>
    name.startsWith(start) ? name.slice(start.length) : name,
  );
  const near = findClosestNames(pin.name, names).map((name) => start + name);
  return model && answers(model, now) ? [model.id, ...near].slice(0, 3) : near;
}

/** Whether the name of its model selects a mapping; a regional one needs its external id. */
function isGeneral({ region }: Mapping): boolean {
  return region === undefined;
}

interface External {
  model: Model;
  mapping: Mapping;
}

const externals = new WeakMap<Catalogue, ReadonlyMap<string, External>>();

function findExternal(catalogue: Catalogue, pin: Pin): External | undefined {
  const known = externals.get(catalogue) ?? indexExternals(catalogue);
  return known.get(toExternalKey(pin.providerId, pin.name));
}

function toExternalKey(providerId: string, name: string): string {
  return `${providerId}/${name.toLowerCase()}`;
}

/** Computed once per catalogue, which never changes; if several models share a name, the first wins. */
function indexExternals(catalogue: Catalogue): ReadonlyMap<string, External> {
  const index = new Map<string, External>();
  for (const model of catalogue.models.values()) {
    for (const mapping of model.mappings) {
      const key = toExternalKey(mapping.providerId, mapping.externalId);
      if (!index.has(key)) index.set(key, { model, mapping });
    }
  }
  externals.set(catalogue, index);
  return index;
}

interface NamedMappings {
  model: Model;
  mappings: readonly Mapping[];
  isPinned: boolean;
}

function decide({ model, mappings, isPinned }: NamedMappings, now: number): Resolution {
  const active = select(mappings, (mapping) => isActive(mapping, now));
  if (active.length > 0) return { kind: 'found', model, mappings: active, isPinned };
  const since = toDay(Math.max(...mappings.map(({ deactivatedAt }) => deactivatedAt ?? now)));
  const successor = answers(model, now) ? model.id : model.successor;
  return { kind: 'deactivated', since, ...(successor !== undefined && { successor }) };
}

/** Whether a mapping is not deactivated. */
export function isActive({ deactivatedAt }: Pick<Mapping, 'deactivatedAt'>, now: number): boolean {
  return deactivatedAt === undefined || deactivatedAt > now;
}

function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Whether a model has an active mapping. */
function answers({ mappings }: Model, now: number): boolean {
  return mappings.some((mapping) => isActive(mapping, now));
}

/** Suggests only active models, so that a request with a suggested name is not refused again. */
function suggest(catalogue: Catalogue, name: string, now: number): string[] {
  const pin = findPin(catalogue, name);
  if (pin) return suggestPinned(catalogue, pin, now);
  const bare = name.slice(name.lastIndexOf('/') + 1);
  const active = [...catalogue.models.values()].filter((model) => answers(model, now));
  return findClosestNames(bare === '' ? name : bare, namesOf(active));
}

function* namesOf(models: Iterable<Model>): Generator<string> {
  for (const model of models) {
    yield model.id;
    yield* model.aliases;
  }
}
