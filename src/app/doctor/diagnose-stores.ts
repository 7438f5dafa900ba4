import type { Database } from '#storage';
import type { Finding } from './finding.ts';
import { type JournalState, readJournal } from './journal.ts';
import type { Settings } from '../settings/settings.ts';
import type { StoreSettings } from '../settings/store-settings.ts';
import { systemClock } from '#base';
import { detailOf } from '#errors';
import { connectEmbedded, findBlockers, openDatabase, openKeyValue, refusePooler } from '#storage';
import { silentLog } from '#telemetry';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { checkFeed } from './check-feed.ts';
import { hidePassword } from '../settings/explain-settings.ts';
import { readServerVersion } from './server-version.ts';
import { refuseUnfitDatabase } from './refuse-unfit-database.ts';

interface Checked {
  finding: Finding;
  /** Milliseconds since the Unix epoch by the database's clock. */
  serverNow?: number;
  /** The records in the journal of the data directory that the database does not have. */
  journal?: JournalState;
  /** Absent if no feed is configured. */
  feed?: Finding;
  /** Absent unless gateways wait for a lock. */
  locks?: Finding;
}

/** The stores, and the feed that is configured. */
type Checkable = StoreSettings & Pick<Partial<Settings>, 'catalogue'>;

export async function checkDatabase(settings: Checkable): Promise<Checked> {
  try {
    return await (settings.databaseUrl === undefined
      ? checkEmbedded(settings)
      : checkExternal(settings, settings.databaseUrl));
  } catch (error) {
    return { finding: { name: 'database', state: 'problem', message: describe(error) } };
  }
}

/** By what the driver reports where no PostgreSQL answers. */
const DATABASE_FAULTS: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, 'correct the name of its host'],
  [/ECONNREFUSED/, 'start it, or correct its host and port'],
  [
    /Connection terminated|Received unexpected|ECONNRESET/,
    'PostgreSQL may not be what listens there: correct its host and port',
  ],
];

async function checkExternal(settings: Checkable, url: string): Promise<Checked> {
  const database = openDatabase({ connection: { url }, applicationName: 'sluice doctor', maxConnections: 1 });
  try {
    await refuseUnfitDatabase(database);
    await refusePooler(database);
    return await look(database, hidePassword(url), settings);
  } catch (error) {
    const reason = describe(error);
    const [, advice] = DATABASE_FAULTS.find(([pattern]) => pattern.test(reason)) ?? [];
    const message = `DATABASE_URL (${hidePassword(url)}): ${reason}${advice === undefined ? '' : `; ${advice}`}`;
    return { finding: { name: 'database', state: 'problem', message } };
  } finally {
    await database.close();
  }
}

/** Starts or adopts the embedded server; without data, one in a temporary folder. */
async function checkEmbedded(settings: Checkable): Promise<Checked> {
  const { dataDir } = settings;
  const isNew = !existsSync(join(dataDir, 'postgres')) && !existsSync(join(dataDir, 'postgres.location'));
  const directory = isNew ? await createPassableFolder() : dataDir;
  try {
    const server = await connectEmbedded({ directory, log: silentLog });
    const database = openDatabase({
      connection: server.connection,
      applicationName: 'sluice doctor',
      maxConnections: 1,
    });
    try {
      const how = isNew ? 'starts (tried in a temporary folder)' : server.adopted ? 'is running' : 'starts';
      return await look(database, `the embedded server ${how}`, settings);
    } finally {
      await database.close();
      await server.stop();
    }
  } finally {
    if (isNew) await rm(directory, { recursive: true, force: true });
  }
}

/** A folder that the server's own user can enter if this process is root. */
async function createPassableFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-doctor-'));
  await chmod(folder, 0o711);
  return folder;
}

async function look(database: Database, what: string, settings: Checkable): Promise<Checked> {
  const version = await readServerVersion(database);
  const { rows } = await database.query<{ now: number }>({
    text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
  });
  const serverNow = rows[0]?.now;
  const locks = await checkLocks(database);
  return {
    finding: { name: 'database', state: 'ok', message: `PostgreSQL ${version}, ${what}` },
    ...(serverNow !== undefined && { serverNow }),
    ...(locks && { locks }),
    journal: await readJournal(settings, database),
    ...(settings.catalogue && { feed: await checkFeed(database, settings.catalogue) }),
  };
}

async function checkLocks(database: Database): Promise<Finding | undefined> {
  const [first, ...others] = await findBlockers(database);
  if (!first) return undefined;
  const { pid, description, seconds } = first;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const message =
    `a statement of a gateway has waited for ${seconds} s for a lock of session ${pid} (${description})${more}; ` +
    `end it there, or with SELECT pg_terminate_backend(${pid})`;
  return { name: 'locks', state: 'problem', message };
}

type RedisFault = readonly [pattern: RegExp, fault: string, advice: string];

/** By the codes that Redis's errors begin with, and by those of sockets. */
const REDIS_FAULTS: readonly RedisFault[] = [
  [/^(?:WRONGPASS|NOAUTH|ERR AUTH)/, 'does not answer', 'correct its password'],
  [/^ERR DB index/, 'has no such database', 'correct the number at the end of the address'],
  [/^OOM /, 'is full', 'give it more memory or a maxmemory-policy that evicts keys'],
  [/^READONLY /, 'is a replica', 'name its primary'],
  [/^(?:MOVED|CLUSTERDOWN) /, 'is part of a cluster', 'name one that is not'],
  [/^[A-Z]{3,} /, 'refuses to be written to', 'correct its settings'],
  [/ENOTFOUND|EAI_AGAIN/, 'does not answer', 'correct the name of its host'],
  [/ECONNREFUSED/, 'does not answer', 'start it'],
];
const REDIS_TLS: RedisFault = [/^/, 'does not answer', 'start it, write redis:// if it has no TLS'];
const REDIS_PLAIN: RedisFault = [/^/, 'does not answer', 'start it, write rediss:// if it has TLS'];

function findRedisFault(url: string, reason: string): RedisFault {
  const other = url.startsWith('rediss:') ? REDIS_TLS : REDIS_PLAIN;
  return REDIS_FAULTS.find(([pattern]) => pattern.test(reason)) ?? other;
}

export async function checkRedis({ redisUrl }: StoreSettings): Promise<Finding> {
  const name = 'shared cache';
  if (redisUrl === undefined) return { name, state: 'ok', message: 'in process (REDIS_URL is not set)' };
  const store = await openKeyValue({ clock: systemClock, log: silentLog, redisUrl });
  try {
    await store.ping();
    return { name, state: 'ok', message: `REDIS_URL (${hidePassword(redisUrl)}) answers` };
  } catch (error) {
    const reason = describe(error);
    const [, fault, advice] = findRedisFault(redisUrl, reason);
    const message = `REDIS_URL (${hidePassword(redisUrl)}) ${fault} (${reason}); ${advice}, or unset REDIS_URL: the gateway works without`;
    return { name, state: 'problem', message };
  } finally {
    await store.close();
  }
}

/** The cause in one line, without credentials of the database. */
function describe(error: unknown): string {
  return detailOf(error).split('\n').join(' ').trim();
}
