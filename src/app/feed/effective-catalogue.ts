import type { Catalogue } from '#catalogue';
import type { Database } from '#storage';
import type { Settings } from '../settings/settings.ts';
import { systemClock } from '#base';
import { buildCatalogue, composeFiles, extendCatalogue, nameKey } from '#catalogue';
import { getBaseCatalogue, getBaseFiles } from '../settings/base-catalogue.ts';
import { FeedStore } from './feed-store.ts';

/** The catalogue as a gateway on this database has it now: built in, from the feed, and configured. */
export async function readEffectiveCatalogue(
  { catalogue, providers }: Pick<Settings, 'catalogue' | 'providers'>,
  database: Database | undefined,
): Promise<Catalogue> {
  const state =
    catalogue && database
      ? await new FeedStore(database, nameKey(catalogue.publicKey)).readState()
      : undefined;
  const now = systemClock.now();
  const base = state
    ? buildCatalogue(composeFiles((await getBaseFiles(now)).files, state, now).files)
    : await getBaseCatalogue(now);
  return extendCatalogue(base, providers);
}
