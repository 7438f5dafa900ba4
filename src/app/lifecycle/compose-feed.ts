import type { Catalogue } from '#catalogue';
import type { Log } from '#telemetry';
import type { Settings } from '../settings/settings.ts';
import type { LiveConfiguration } from './configuration/live-configuration.ts';
import type { Stores } from './stores/stores.ts';
import { systemClock } from '#base';
import { extendCatalogue } from '#catalogue';
import { createDocumentReader } from '#providers';
import { FeedFollower } from '../feed/follow-feed.ts';
import { keepPrices } from './configuration/price-versions.ts';

interface OpenFeed {
  feed: FeedFollower;
  /** The catalogue as of the last good feed. */
  catalogue: Catalogue;
}

/** Opens the feed as the database has it; nothing is fetched yet. */
export async function openFeed(
  { catalogue: settings }: Pick<Settings, 'catalogue'>,
  { database }: Pick<Stores, 'database'>,
  log: Log,
): Promise<OpenFeed> {
  const feed = new FeedFollower({ database, clock: systemClock, log, openReader: createDocumentReader });
  return { feed, catalogue: await feed.open(settings) };
}

/** Prices are stored before the first request can be billed at them. */
export function startFeed(
  feed: FeedFollower,
  live: LiveConfiguration,
  { database }: Pick<Stores, 'database'>,
): void {
  feed.start(async (catalogue) => {
    await keepPrices(database, extendCatalogue(catalogue, live.settings.providers));
    live.rebase(catalogue);
  });
}
