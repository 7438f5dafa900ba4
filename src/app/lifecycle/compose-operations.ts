import type { Clock } from '#base';
import { parseHealthName } from '#routing';
import type { FeedStatus, GatewayStatus, HealthProbe, MappingState, Operations, SettingLine } from '#http';
import type { HealthRegistry, MappingHealth } from '#routing';
import type { FeedReport } from '../feed/follow-feed.ts';
import type { Settings } from '../settings/settings.ts';
import type { LiveConfiguration } from './configuration/live-configuration.ts';
import type { Stores } from './stores/stores.ts';
import { testOwnProvider, testProviders } from './provider-test.ts';
import { listSettings, summarizeProviders } from '../settings/explain-settings.ts';

interface OperationsParts {
  /** The settings of the start. */
  settings: Settings;
  live: Pick<LiveConfiguration, 'settings'>;
  stores: Pick<Stores, 'accounts' | 'database' | 'journalBytes' | 'keyValue'>;
  /** The catalogue feed; absent if none is configured. */
  feed(): FeedReport | undefined;
  health: Pick<HealthRegistry, 'all'>;
  probe: HealthProbe;
  clock: Pick<Clock, 'now' | 'monotonicMs'>;
  countOpen(): number;
}

/** Settings whose edits take effect at the next start. */
const FIXED =
  /^(dataDir|DATABASE_URL|REDIS_URL|SLUICE_SECRET|drainSeconds|openBodiesMiB|logLevel|(metrics|telemetry|ledger)\..*|server\.(?!trustedProxies).*)$/;
/** Replicas report once a second. */
const REPLICA_SECONDS = 15;
const FACTS = `SELECT current_setting('server_version') AS version, pg_database_size(current_database())::float8 AS bytes`;
const REPLICAS = `
  SELECT epoch::text AS id, note, (extract(epoch FROM clock_timestamp() - heartbeat_at) * 1000)::float8 AS age
  FROM owner WHERE heartbeat_at > clock_timestamp() - make_interval(secs => $1) ORDER BY epoch`;

/** The operations on a running gateway. */
export function composeOperations(parts: OperationsParts): Operations {
  const { settings, live, health, clock } = parts;
  const startedAt = clock.now();
  return {
    settings: () => ({ file: live.settings.file, lines: compareSettings(settings, live.settings) }),
    providers: async () => {
      const mappings = Map.groupBy(listMappings(health, clock.monotonicMs()), ({ providerId }) => providerId);
      return (await summarizeProviders(live.settings)).map((provider) => ({
        ...provider,
        mappings: (mappings.get(provider.id) ?? []).map(({ state }) => state),
      }));
    },
    test: (providerId, model) => testProviders(live.settings, [providerId], model),
    testOwn: (wanted) => testOwnProvider(live.settings, parts.stores, wanted),
    status: async () => ({ startedAt, openRequests: parts.countOpen(), ...(await readStatus(parts)) }),
  };
}

/** The edited settings, with the value of the start where that is still in force. */
function compareSettings(start: Settings, edited: Settings): SettingLine[] {
  const first = new Map(listSettings(start).map((line) => [line.name, line]));
  return listSettings(edited).map((line) => {
    const old = FIXED.test(line.name) ? first.get(line.name) : undefined;
    return old === undefined || old.value === line.value ? line : { ...old, next: line.value };
  });
}

function listMappings(
  health: OperationsParts['health'],
  nowMs: number,
): { providerId: string; state: MappingState }[] {
  return [...health.all].flatMap(([name, one]) => {
    const found = parseHealthName(name);
    if (!found || !one.isKnownAt(nowMs)) return [];
    const { providerId, model, credential } = found;
    return [
      { providerId, state: { model, ...(credential !== '' && { credential }), ...describe(one, nowMs) } },
    ];
  });
}

function describe(one: MappingHealth, nowMs: number): Omit<MappingState, 'model' | 'credential'> {
  const { failedShare, pausedMs, firstEventMs, wholeMs, msPerToken } = one.report(nowMs);
  const state = one.stateAt(nowMs);
  return {
    state,
    called: one.isCalled || state !== 'healthy',
    failedShare,
    pausedMs,
    ...(firstEventMs !== undefined && { firstEventMs }),
    ...(wholeMs !== undefined && { wholeMs }),
    ...(msPerToken !== undefined && { msPerToken }),
  };
}

type Status = Omit<GatewayStatus, 'startedAt' | 'openRequests'>;

async function readStatus(parts: OperationsParts): Promise<Status> {
  const { settings, stores, probe } = parts;
  const { database, keyValue, accounts } = stores;
  const feed = parts.feed();
  const checks = await Promise.all([probe.database(), probe.redis(), probe.ledger()]);
  const known = checks[0].connected ? await readFacts(database).catch(() => undefined) : undefined;
  return {
    database: {
      ...checks[0],
      isEmbedded: settings.databaseUrl === undefined,
      connections: { ...database.connections },
      ...known?.facts,
    },
    redis: { ...checks[1], isConfigured: keyValue.kind === 'redis' },
    ledger: { ...checks[2], unwritten: accounts.ledger.unwritten, journalBytes: stores.journalBytes() },
    ...(feed && { feed: describeFeed(feed) }),
    ...(known && { replicas: known.replicas }),
  };
}

function describeFeed({ record, announcements }: FeedReport): FeedStatus {
  if (!record) return { announcements };
  const { sequence, publishedAt, checkedAt, fault, held } = record;
  return {
    announcements,
    ...(sequence !== undefined && { sequence: String(sequence) }),
    ...(publishedAt !== undefined && { publishedAt }),
    ...(checkedAt !== undefined && { checkedAt }),
    ...(fault && { fault }),
    ...(held && { held: { sequence: String(held.sequence), reason: held.reason } }),
  };
}

async function readFacts(database: Stores['database']) {
  const { rows: facts } = await database.query<{ version: string; bytes: number }>({ text: FACTS });
  const { rows } = await database.query<{ id: string; note: string; age: number }>({
    text: REPLICAS,
    values: [REPLICA_SECONDS],
  });
  return {
    facts: facts[0],
    replicas: rows.map(({ id, note, age }) => ({ id, note, seenMs: Math.round(age) })),
  };
}
