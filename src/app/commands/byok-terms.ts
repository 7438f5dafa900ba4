import type { ByokTerms } from '#accounts';
import type { Database } from '#storage';
import type { SettingsOrigin } from '../settings/settings.ts';
import { readEffectiveCatalogue } from '../feed/effective-catalogue.ts';
import { loadSettings } from '../settings/load-settings.ts';

/** The configuration that organizations' own providers are checked against, with the feed that the database has. */
export async function loadByokTerms(origin: SettingsOrigin, database?: Database): Promise<ByokTerms> {
  const settings = await loadSettings(origin, 'show');
  const { addresses, allowUnpriced } = settings;
  return { catalogue: await readEffectiveCatalogue(settings, database), addresses, allowUnpriced };
}
