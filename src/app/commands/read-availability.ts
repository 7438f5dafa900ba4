import type { Availability } from '#accounts';
import type { Database } from '#storage';
import type { SettingsOrigin } from '../settings/settings.ts';
import { parseHealthName } from '#routing';
import { readEffectiveCatalogue } from '../feed/effective-catalogue.ts';
import { summarizeProviders } from '../settings/explain-settings.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { ReportedHealths, readLatest } from './reported-healths.ts';

/**
 * The mappings that the gateways of a database can call, as far as this machine knows: those configured here, and those
 * that running gateways have called, whose environment may have keys that this one lacks.
 */
export async function readAvailability(origin: SettingsOrigin, database: Database): Promise<Availability> {
  const settings = await loadSettings(origin, 'show');
  const configured = (await summarizeProviders(settings)).filter(({ live }) => live);
  const reports = await readLatest(database);
  const reported = new ReportedHealths(reports);
  const healths = [...reports.keys()].flatMap((name) => {
    const found = parseHealthName(name);
    return found ? [{ ...found, isHealthy: reported.isHealthy(name) }] : [];
  });
  const callable = new Set([
    ...configured.map(({ id }) => id),
    ...healths.map(({ providerId }) => providerId),
  ]);
  return { catalogue: await readEffectiveCatalogue(settings, database), callable, healths };
}
