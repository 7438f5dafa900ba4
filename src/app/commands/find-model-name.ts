import type { Database } from '#storage';
import type { SettingsOrigin } from '../settings/settings.ts';
import { resolveModel } from '#catalogue';
import { systemClock } from '#base';
import { loadByokTerms } from './byok-terms.ts';

/** What a name that requests may use means in log rows: an id, and the provider that it pins. */
export interface ModelName {
  modelId: string;
  providerId?: string;
}

/** What a name means, if it is not the id of a model itself; also undefined where the configuration cannot be read. */
export async function findModelName(
  origin: SettingsOrigin,
  database: Database,
  name: string,
): Promise<ModelName | undefined> {
  const terms = await loadByokTerms(origin, database).catch(() => undefined);
  const found = terms && resolveModel(terms.catalogue, name, systemClock.now());
  if (found?.kind !== 'found' || found.model.id === name) return undefined;
  const [mapping] = found.mappings;
  return { modelId: found.model.id, ...(found.isPinned && mapping && { providerId: mapping.providerId }) };
}
