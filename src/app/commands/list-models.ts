import type { Catalogue, ModelEntry } from '#catalogue';
import type { Settings, SettingsOrigin } from '../settings/settings.ts';
import { listModels } from '#catalogue';
import { readEffectiveCatalogue } from '../feed/effective-catalogue.ts';
import { openStores } from '../lifecycle/stores/stores.ts';
import { createCommandLog } from './command-log.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { summarizeProviders } from '../settings/explain-settings.ts';

/** The filters of `GET /v1/models`, and one for models that can be called now. */
interface ModelFilter {
  includeDeactivated: boolean;
  excludeDeprecated: boolean;
  noTraining: boolean;
  mapped: boolean;
  /** Only models of providers that can be called. */
  live: boolean;
}

/** The models of this configuration, as `GET /v1/models` lists them. */
export async function listConfiguredModels(
  origin: SettingsOrigin,
  { live, ...filter }: ModelFilter,
): Promise<ModelEntry[]> {
  const settings = await loadSettings(origin, 'show');
  const catalogue = await readCatalogue(settings);
  const callable = new Set(
    (await summarizeProviders(settings)).filter((provider) => provider.live).map(({ id }) => id),
  );
  return listModels(catalogue, {
    ...filter,
    now: Date.now(),
    ...(live && { allows: ({ providerId }) => callable.has(providerId) }),
  });
}

/** The database is only opened for the feed. */
async function readCatalogue(settings: Settings): Promise<Catalogue> {
  if (!settings.catalogue) return readEffectiveCatalogue(settings, undefined);
  await using stores = await openStores(settings, { role: 'command', log: createCommandLog() });
  return await readEffectiveCatalogue(settings, stores.database);
}
