import type { Accounts, WindowClock } from '#accounts';
import type { Conversations } from '#conversations';
import type { AccountObjects } from '#objects';
import type {
  BillReader,
  PromptReader,
  CacheMisses,
  Experiments,
  LastPrompts,
  LatencyReader,
  LogLimits,
  Logs,
  PayloadQueue,
  Payloads,
  Sessions,
  UsageReader,
} from '#logs';
import type { Database, KeyValue } from '#storage';
import type { Log } from '#telemetry';
import type { StoreSettings } from '../../settings/store-settings.ts';
import { createAccounts } from '#accounts';
import { systemClock } from '#base';
import { detailOf } from '#errors';
import { createConversations } from '#conversations';
import { createAccountObjects } from '#objects';
import {
  createBillReader,
  createPromptReader,
  createCacheMisses,
  createExperiments,
  createLastPrompts,
  createLatencyReader,
  LogFeed,
  createLogs,
  ReportPlaces,
  createPayloadQueue,
  createPayloads,
  createSessions,
  createUsageReader,
} from '#logs';
import {
  CONNECT_TIMEOUT_MS,
  acquireDirectoryLock,
  migrate,
  openDatabase,
  openKeyValue,
  readMigrations,
  refusePooler,
} from '#storage';
import { openJournal } from '../../doctor/journal.ts';
import { openConnection, refuseUselessDirectory } from './open-connection.ts';
import { startUpkeep } from './start-upkeep.ts';
import { openSecret } from '../../settings/secret.ts';
import { refuseUnfitDatabase } from '../../doctor/refuse-unfit-database.ts';

/** All opened stores. Disposing closes them in the right order. */
export interface Stores extends AsyncDisposable {
  database: Database;
  keyValue: KeyValue;
  accounts: Accounts;
  /** The size of the journal's records that the database does not have. */
  journalBytes(): number;
  logs: Logs;
  feed: LogFeed;
  usage: UsageReader;
  sessions: Sessions;
  bills: BillReader;
  prompts: PromptReader;
  lastPrompts: LastPrompts;
  cacheMisses: CacheMisses;
  latency: LatencyReader;
  experiments: Experiments;
  payloads: Payloads;
  /** Payloads waiting to be written. */
  payloadQueue: PayloadQueue;
  /** Replaces the limits of the log; takes effect if this process does its upkeep. */
  limitLogs(limits: LogLimits): void;
  conversations: Conversations;
  objects: AccountObjects;
  /** The installation's secret. */
  secret: Uint8Array;
}

interface StoreOptions {
  /**
   * A gateway owns its data directory and settles money; a command opens it alongside a running gateway or without one.
   */
  role: 'gateway' | 'command';
  log: Log;
  /** Aborts the start of an embedded server, and the wait for another process that migrates. */
  signal?: AbortSignal | undefined;
  /** Moves billing cycles and windows in tests. */
  windowClock?: WindowClock;
  /** Whether it drops, sums and indexes the log; by default a gateway does. Tests with a new log leave it out. */
  hasUpkeep?: boolean;
}

const COMMAND_CONNECTIONS = 3;

/** Opens the stores: the embedded PostgreSQL or an external one, migrated, with the secret it was created with. */
export async function openStores(settings: StoreSettings, options: StoreOptions): Promise<Stores> {
  await using opened = new AsyncDisposableStack();
  refuseUselessDirectory(settings, options);
  const connection = await openConnection(settings, options, opened);
  const database = openDatabase({
    connection,
    applicationName: `sluice ${options.role}`,
    log: options.log,
    connectTimeoutMs: Math.max(CONNECT_TIMEOUT_MS, settings.databaseWaitMs ?? 0),
    ...(options.role === 'command' && { maxConnections: COMMAND_CONNECTIONS }),
  });
  opened.defer(() => database.close());
  await refuseUnfitDatabase(database);
  if (options.role === 'gateway' && settings.databaseUrl !== undefined) await refusePooler(database);
  if (options.role === 'gateway' && settings.databaseUrl === undefined) {
    const onLost = (error: Error): void =>
      options.log.error({ reason: error.message }, 'the data directory was taken by another gateway');
    const lock = await acquireDirectoryLock(database, { onLost });
    opened.defer(() => lock.release());
  }
  await migrate(database, await readMigrations(), options);
  const secret = await openSecret(settings, database);
  const { accounts, journalBytes } = await openAccounts({ settings, options, database, secret, opened });
  const keyValue = await openKeyValue({
    clock: systemClock,
    log: options.log,
    ...(settings.redisUrl !== undefined && options.role === 'gateway' && { redisUrl: settings.redisUrl }),
  });
  opened.defer(() => keyValue.close());
  const kept = openKept({ options, database, opened });
  const log = openLog({ settings, options, database, opened });
  const all = opened.move();
  return {
    database,
    keyValue,
    accounts,
    journalBytes,
    ...log,
    ...kept,
    secret,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Data that outlives the request that created it. */
function openKept({
  options,
  database,
  opened,
}: Pick<LogParts, 'options' | 'database' | 'opened'>): Pick<Stores, 'conversations' | 'objects'> {
  const shared = (name: string) => ({
    database,
    clock: systemClock,
    onFault: (error: unknown) =>
      options.log.error({ reason: detailOf(error) }, `background work of ${name} failed`),
  });
  const conversations = createConversations(shared('conversations'));
  const objects = createAccountObjects(shared('created objects'));
  for (const room of [conversations, objects]) {
    opened.defer(() => room.close());
    if (options.role === 'gateway') room.start();
  }
  return { conversations, objects };
}

interface LogParts {
  settings: StoreSettings;
  options: StoreOptions;
  database: Database;
  opened: AsyncDisposableStack;
}

type LogStores = Pick<
  Stores,
  | 'logs'
  | 'feed'
  | 'usage'
  | 'sessions'
  | 'bills'
  | 'prompts'
  | 'lastPrompts'
  | 'cacheMisses'
  | 'latency'
  | 'experiments'
  | 'payloads'
  | 'payloadQueue'
  | 'limitLogs'
>;

function openLog({ settings, options, database, opened }: LogParts): LogStores {
  const { role, hasUpkeep = role === 'gateway' } = options;
  const upkeep = hasUpkeep ? startUpkeep(settings, database, options.log) : undefined;
  opened.defer(() => upkeep?.close());
  const payloads = createPayloads({ database });
  const payloadQueue = createPayloadQueue({
    payloads,
    now: () => systemClock.monotonicMs(),
    onLoss: (reason) => options.log.warn({ reason }, 'payloads were not stored'),
  });
  opened.defer(() => payloadQueue.drain());
  const isGateway = options.role === 'gateway';
  const found = { database, reader: isGateway ? 'request' : 'command' } as const;
  const read = { ...found, ...(isGateway && { places: new ReportPlaces() }) };
  return {
    logs: createLogs(read),
    feed: new LogFeed({ database }),
    usage: createUsageReader(read),
    sessions: createSessions(read),
    bills: createBillReader(read),
    prompts: createPromptReader(read),
    lastPrompts: createLastPrompts(found),
    cacheMisses: createCacheMisses(read),
    latency: createLatencyReader(read),
    experiments: createExperiments(read),
    payloads,
    payloadQueue,
    limitLogs: (limits) => upkeep?.limit(limits),
  };
}

interface AccountParts {
  settings: StoreSettings;
  options: StoreOptions;
  database: Database;
  secret: Uint8Array;
  opened: AsyncDisposableStack;
}

async function openAccounts(parts: AccountParts): Promise<Pick<Stores, 'accounts' | 'journalBytes'>> {
  const { settings, options, database, secret, opened } = parts;
  const journal =
    options.role === 'gateway' ? await openJournal(settings, { database, log: options.log }) : undefined;
  opened.defer(() => journal?.close());
  const accounts = createAccounts({
    database,
    clock: systemClock,
    secret,
    ...(journal && { journal }),
    leases: settings.hasLeases ?? true,
    durability: settings.isStrictlyDurable ? 'durable' : 'written',
    exclusive: options.role === 'gateway' && settings.databaseUrl === undefined,
    ...(options.windowClock && { windowClock: options.windowClock }),
    ...(settings.databaseWaitMs !== undefined && { storeLimitMs: settings.databaseWaitMs }),
    note: `process ${process.pid}`,
    onFault: (error) =>
      options.log.error({ reason: detailOf(error) }, 'background work of the accounts failed'),
  });
  opened.defer(() => accounts.close());
  if (options.role === 'gateway') await accounts.start();
  return { accounts, journalBytes: () => journal?.bytes ?? 0 };
}
