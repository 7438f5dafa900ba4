import type { ByokTerms } from '#accounts';
import type { Database } from '#storage';
import type { SettingsOrigin } from '../settings/settings.ts';
import { readEffectiveCatalogue } from '../feed/effective-catalogue.ts';
import { loadSettings } from '../settings/load-settings.ts';

/** The configuration against which organizations' own providers are checked; of the feed what the database has. */
export async function loadByokTerms(origin: SettingsOrigin, database?: Database): Promise<ByokTerms> {
  const settings = await loadSettings(origin, 'show');
  const { addresses, allowUnpriced } = settings;
  return { catalogue: await readEffectiveCatalogue(settings, database), addresses, allowUnpriced };
}
