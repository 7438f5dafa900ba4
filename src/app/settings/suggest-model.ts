import type { Catalogue, Mapping, Model } from '#catalogue';
import type { Settings } from './settings.ts';
import { isActive, isPremium, operationsOf } from '#catalogue';

/** The model that answers if no provider is configured. */
export const ECHO_MODEL = 'local/echo';

/** Not the most expensive model for a first try. */
const EXPENSIVE = { input: 5_000_000n, output: 15_000_000n };

interface Offer {
  model: Model;
  mapping: Mapping;
}

/**
 * A model that this gateway can serve now, for a first request: a text model of the configuration file, otherwise a
 * recent one that is not expensive.
 */
export function suggestModel(catalogue: Catalogue, settings: Settings, now: number): string {
  for (const { id, models = [] } of settings.providers) {
    const writer = models.find((model) => operationsOf(model).includes('generations'));
    if (writer) return `${id}/${writer.id}`;
  }
  const best = listOffers(catalogue, settings, now).sort(compareOffers)[0];
  return best ? best.model.id : ECHO_MODEL;
}

/** Whether a model name such as `claude-sonnet-5` is served by a provider that has a key. */
export function canServe(catalogue: Catalogue, settings: Settings, pattern: RegExp): boolean {
  for (const { id, mappings } of catalogue.models.values()) {
    if (pattern.test(id) && mappings.some(({ providerId }) => settings.credentialSources.has(providerId)))
      return true;
  }
  return false;
}

function listOffers(catalogue: Catalogue, settings: Settings, now: number): Offer[] {
  return [...catalogue.models.values()].flatMap((model) =>
    model.mappings
      .filter((mapping) => settings.credentialSources.has(mapping.providerId) && isUsable(mapping, now))
      .map((mapping) => ({ model, mapping })),
  );
}

function isUsable(mapping: Mapping, now: number): boolean {
  return (
    isActive(mapping, now) && mapping.stability === 'stable' && mapping.price !== undefined && mapping.tools
  );
}

function compareOffers(a: Offer, b: Offer): number {
  return (
    Number(isPremium(a.mapping, EXPENSIVE)) - Number(isPremium(b.mapping, EXPENSIVE)) ||
    b.model.createdAt - a.model.createdAt
  );
}
