import type { Caller } from '#accounts';
import type { Catalogue, Mapping, Model } from '#catalogue';
import type { HttpPorts } from '../endpoint.ts';
import { isAllowed } from '#accounts';
import { selectListed } from '#catalogue';
import { createNoModel, getModel } from '#pipeline';

/** A model with those of its mappings that the caller can see. */
interface Visible {
  model: Model;
  mappings: readonly Mapping[];
  /** Whether the name selected one provider. */
  isPinned: boolean;
}

type ModelPorts = Pick<HttpPorts, 'catalogue' | 'clock' | 'ownModels'>;

/** Resolves a name for a caller, or for everyone without one. */
export function getVisible(
  { catalogue, clock, ownModels }: ModelPorts,
  name: string,
  caller: Caller | undefined,
): Visible {
  const known = { catalogue: catalogue(), own: caller && ownModels(caller) };
  const { model, isPinned, ...named } = getModel(known, name, clock.now());
  const rules = caller?.rules;
  const mappings = rules
    ? named.mappings.filter((mapping) => isAllowed(rules, mapping, named.catalogue))
    : named.mappings;
  if (mappings.length === 0) throw createNoModel(name);
  return { model, mappings, isPinned };
}

/** Every model that a caller can use now, as `GET /v1/models` lists them; without one, those of the public catalogue. */
export function selectVisible(
  { catalogue, clock, ownModels }: ModelPorts,
  caller: Caller | undefined,
): { model: Model; mappings: readonly Mapping[] }[] {
  const own = caller && ownModels(caller);
  const rules = caller?.rules;
  const options = {
    includeDeactivated: false,
    excludeDeprecated: false,
    noTraining: false,
    mapped: false,
    now: clock.now(),
    ...(rules && { allows: (mapping: Mapping, place: Catalogue) => isAllowed(rules, mapping, place) }),
  };
  return (own ? [catalogue(), own] : [catalogue()]).flatMap((place) => selectListed(place, options));
}
