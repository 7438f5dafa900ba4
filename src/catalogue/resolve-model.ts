import { select } from '#base';
import type { Catalogue, Mapping, Model } from './catalogue.ts';
import { findClosestNames } from './closest-names.ts';

/** The meaning of a model name in a request. */
export type Resolution =
  | { kind: 'found'; model: Model; mappings: readonly Mapping[]; isPinned: boolean }
  | { kind: 'unknown'; closest: string[] }
  | { kind: 'deactivated'; since: string; successor?: string };

/** A client's marker for a long context window; never sent to a provider. */
const WINDOW_MARK = /\[1m\]$/i;

/**
 * Finds the mappings a name may be served by: `model` or an alias (any provider), `provider/model` or
 * `provider/externalId` (that provider only). `now` is in milliseconds since the Unix epoch.
 */
export function resolveModel(catalogue: Catalogue, name: string, now: number): Resolution {
  const wanted = name.trim().replace(WINDOW_MARK, '');
  const model = findModel(catalogue, wanted);
  if (model) return decide({ model, mappings: select(model.mappings, isGeneral), isPinned: false }, now);
  const slash = wanted.indexOf('/');
  const provider = slash === -1 ? undefined : catalogue.providers.get(wanted.slice(0, slash));
  if (!provider) return { kind: 'unknown', closest: suggest(catalogue, wanted, now) };
  return resolvePinned(catalogue, { providerId: provider.id, name: wanted.slice(slash + 1) }, now);
}

/** A model by its id or an alias. */
export function findModel(catalogue: Catalogue, name: string): Model | undefined {
  const id = catalogue.names.get(name.toLowerCase());
  return id === undefined ? undefined : catalogue.models.get(id);
}

/** A provider's mapping by one of the model's names here, or by the provider's own. */
export function findMapping(
  catalogue: Catalogue,
  pin: { providerId: string; name: string },
  now: number,
): Mapping | undefined {
  const named = findModel(catalogue, pin.name)?.mappings.filter(
    (mapping) => mapping.providerId === pin.providerId && isGeneral(mapping),
  );
  const mapping = named?.find((each) => isActive(each, now)) ?? findExternal(catalogue, pin)?.mapping;
  return mapping && isActive(mapping, now) ? mapping : undefined;
}

function resolvePinned(
  catalogue: Catalogue,
  pin: { providerId: string; name: string },
  now: number,
): Resolution {
  const model = findModel(catalogue, pin.name);
  const pinned =
    model?.mappings.filter((mapping) => mapping.providerId === pin.providerId && isGeneral(mapping)) ?? [];
  if (model && pinned.length > 0) return decide({ model, mappings: pinned, isPinned: true }, now);
  const external = findExternal(catalogue, pin);
  if (external) return decide({ model: external.model, mappings: [external.mapping], isPinned: true }, now);
  const served = [...catalogue.models.values()].filter(({ mappings }) =>
    mappings.some((mapping) => mapping.providerId === pin.providerId && isActive(mapping, now)),
  );
  const start = `${pin.providerId}/`;
  const names = [...namesOf(served)].map((name) =>
    name.startsWith(start) ? name.slice(start.length) : name,
  );
  const near = findClosestNames(pin.name, names).map((name) => start + name);
  return { kind: 'unknown', closest: model && answers(model, now) ? [model.id, ...near].slice(0, 3) : near };
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

function findExternal(catalogue: Catalogue, pin: { providerId: string; name: string }): External | undefined {
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
