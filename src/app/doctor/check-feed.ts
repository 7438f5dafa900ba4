import type { Database } from '#storage';
import type { Finding } from './finding.ts';
import type { FeedSettings } from '../settings/feed-settings.ts';
import { formatTime, systemClock } from '#base';
import { nameKey } from '#catalogue';
import { type FeedRecord, FeedStore } from '../feed/feed-store.ts';

const DAY_MS = 86_400_000;
/** From then on prices have probably changed. */
const OLD_DAYS = 30;

/** Checks the catalogue feed by its state in the database. */
export async function checkFeed(
  database: Database,
  settings: Pick<FeedSettings, 'publicKey'>,
): Promise<Finding> {
  const { rows } = await database.query<{ exists: boolean }>({
    text: `SELECT to_regclass('catalogue_feed') IS NOT NULL AS exists`,
  });
  const record = rows[0]?.exists
    ? await new FeedStore(database, nameKey(settings.publicKey)).read()
    : undefined;
  return { name: 'catalogue feed', ...toFinding(record) };
}

function toFinding(record: FeedRecord | undefined): Omit<Finding, 'name'> {
  const { sequence, publishedAt = 0, held, fault } = record ?? {};
  const inForce =
    sequence === undefined
      ? 'the built-in catalogue is in force'
      : `the feed ${sequence} of ${formatTime(publishedAt)} is in force`;
  if (fault) return { state: 'warning', message: `the last feed was refused: ${fault.message}; ${inForce}` };
  if (held)
    return {
      state: 'warning',
      message: `the feed ${held.sequence} waits (${held.reason}); look at it with npx sluice catalogue diff, use it with npx sluice catalogue update --accept`,
    };
  if (sequence === undefined)
    return { state: 'warning', message: 'none was read yet; try npx sluice catalogue update' };
  const days = Math.floor((systemClock.now() - publishedAt) / DAY_MS);
  if (days >= OLD_DAYS)
    return { state: 'warning', message: `${inForce}, which is ${days} days old; ask its publisher` };
  return { state: 'ok', message: inForce };
}
