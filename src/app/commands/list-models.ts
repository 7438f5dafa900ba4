import type { ModelEntry } from '#catalogue';
import type { SettingsOrigin } from '../settings/settings.ts';
import { extendCatalogue, listModels } from '#catalogue';
import { getBaseCatalogue } from '../settings/base-catalogue.ts';
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
  const settings = await loadSettings(origin);
  const catalogue = extendCatalogue(await getBaseCatalogue(), settings.providers);
  const callable = new Set(
    (await summarizeProviders(settings)).filter((provider) => provider.live).map(({ id }) => id),
  );
  return listModels(catalogue, {
    ...filter,
    now: Date.now(),
    ...(live && { allows: ({ providerId }) => callable.has(providerId) }),
  });
}
