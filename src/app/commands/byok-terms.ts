import type { ByokTerms } from '#accounts';
import type { SettingsOrigin } from '../settings/settings.ts';
import { extendCatalogue } from '#catalogue';
import { getBaseCatalogue } from '../settings/base-catalogue.ts';
import { loadSettings } from '../settings/load-settings.ts';

/** The configuration against which organizations' own providers are checked. */
export async function loadByokTerms(origin: SettingsOrigin): Promise<ByokTerms> {
  const { providers, addresses, allowUnpriced } = await loadSettings(origin);
  return { catalogue: extendCatalogue(await getBaseCatalogue(), providers), addresses, allowUnpriced };
}
