import type { ExportProgress } from '#exports';
import type { HealthRegistry } from '#routing';
import type { GaugeSource } from '#telemetry';
import type { FeedReport } from '../../feed/follow-feed.ts';
import type { Stores } from '../stores/stores.ts';
import { systemClock } from '#base';
import { version } from '../../settings/package.ts';

/** What gauges are read from. */
export interface GaugeSources {
  stores: Pick<Stores, 'accounts' | 'database' | 'journalBytes'>;
  health: Pick<HealthRegistry, 'ofGateway'>;
  /** Whether a provider is one of the catalogue or the configuration. */
  isListed(providerId: string): boolean;
  countOpen(): number;
  countStreams(): number;
  /** Requests that wait for capacity, by provider. */
  countQueued(): readonly [provider: string, requests: number][];
  /** The exports that this process runs, by name. */
  exports(): ReadonlyMap<string, ExportProgress>;
  /** The catalogue feed; absent if none is configured. */
  feed(): FeedReport | undefined;
  /** Requests by what became of their spans; absent if none are exported. */
  countTraced(): { exported: number; dropped: number } | undefined;
}

/** The gauges, read from the running gateway at each scrape. */
export function listGauges(sources: GaugeSources): readonly GaugeSource[] {
  return [
    ...listProcessGauges(sources),
    ...listStoreGauges(sources),
    ...listProviderGauges(sources),
    ...listExportGauges(sources),
    ...listFeedGauges(sources),
  ];
}

function listProcessGauges({ countOpen, countStreams, countTraced }: GaugeSources): readonly GaugeSource[] {
  return [
    {
      name: 'sluice_build_info',
      help: 'The version of the gateway; always 1.',
      labelNames: ['version'],
      read: () => [{ labels: { version }, value: 1 }],
    },
    {
      name: 'sluice_open_requests',
      help: 'Requests whose response or bookkeeping is not finished.',
      read: () => [{ value: countOpen() }],
    },
    {
      name: 'sluice_open_streams',
      help: 'Responses that are sent in parts and have not ended.',
      read: () => [{ value: countStreams() }],
    },
    {
      name: 'sluice_traced_requests_total',
      help: 'Requests whose spans a collector has accepted, or that were lost.',
      labelNames: ['result'],
      isCounter: true,
      read: () =>
        Object.entries(countTraced() ?? {}).map(([result, value]) => ({ labels: { result }, value })),
    },
  ];
}

function listStoreGauges({
  stores: { accounts, database, journalBytes },
}: GaugeSources): readonly GaugeSource[] {
  return [
    {
      name: 'sluice_unwritten_settlements',
      help: 'Settlements that wait for the database.',
      read: () => [{ value: accounts.ledger.unwritten }],
    },
    {
      name: 'sluice_journal_bytes',
      help: 'Size of the records in the journal that the database does not have yet.',
      read: () => [{ value: journalBytes() }],
    },
    {
      name: 'sluice_database_connections',
      help: 'Connections to PostgreSQL.',
      labelNames: ['state'],
      read: () => {
        const { open, idle } = database.connections;
        return [
          { labels: { state: 'busy' }, value: open - idle },
          { labels: { state: 'idle' }, value: idle },
        ];
      },
    },
    {
      name: 'sluice_database_waiting_statements',
      help: 'Statements that wait for a connection to PostgreSQL.',
      read: () => [{ value: database.connections.waiting }],
    },
  ];
}

function listExportGauges({ exports }: GaugeSources): readonly GaugeSource[] {
  const read = (measure: (progress: ExportProgress) => number) => () =>
    [...exports()].map(([name, progress]) => ({ labels: { export: name }, value: measure(progress) }));
  const labelNames = ['export'];
  return [
    {
      name: 'sluice_export_waiting_rows',
      help: 'Log rows that an export of this process has not delivered, or somewhat more.',
      labelNames,
      read: read(({ waiting }) => waiting),
    },
    {
      name: 'sluice_export_lag_seconds',
      help: 'How long the oldest log row that an export is delivering has been final.',
      labelNames,
      read: read(({ oldestAt }) => (oldestAt === undefined ? 0 : (systemClock.now() - oldestAt) / 1_000)),
    },
    {
      name: 'sluice_export_failures',
      help: 'Attempts of an export since its last success.',
      labelNames,
      read: read(({ failures }) => failures),
    },
  ];
}

function listFeedGauges({ feed }: GaugeSources): readonly GaugeSource[] {
  return [
    {
      name: 'sluice_catalogue_feed_refused',
      help: 'Whether the last catalogue feed was refused, by why.',
      labelNames: ['fault'],
      read: () => {
        const fault = feed()?.record?.fault;
        return fault ? [{ labels: { fault: fault.kind }, value: 1 }] : [];
      },
    },
    {
      name: 'sluice_catalogue_feed_held',
      help: 'Whether a catalogue feed waits for the operator.',
      read: () => [{ value: feed()?.record?.held ? 1 : 0 }],
    },
    {
      name: 'sluice_catalogue_announced_changes',
      help: 'Changes of prices and removals of models that are announced and do not count yet.',
      read: () => [
        {
          value: (feed()?.announcements ?? []).reduce(
            (sum, { priced, removed }) => sum + priced.length + removed.length,
            0,
          ),
        },
      ],
    },
  ];
}

function listProviderGauges({ health, countQueued }: GaugeSources): readonly GaugeSource[] {
  return [
    {
      name: 'sluice_queued_requests',
      help: 'Requests that wait for the capacity of a provider.',
      labelNames: ['provider'],
      read: () => countQueued().map(([provider, value]) => ({ labels: { provider }, value })),
    },
    {
      name: 'sluice_provider_models',
      help: 'Models called at a provider, by state: healthy, due (one probe), poor (ranked last), closed (not called).',
      labelNames: ['provider', 'state'],
      read: () => countStates(health),
    },
  ];
}

function countStates(health: GaugeSources['health']): { labels: Record<string, string>; value: number }[] {
  const nowMs = systemClock.monotonicMs();
  const counts = new Map<string, { labels: Record<string, string>; value: number }>();
  for (const [name, one] of health.ofGateway) {
    if (!one.isKnownAt(nowMs)) continue;
    const [provider = ''] = name.split('/', 1);
    const state = one.stateAt(nowMs);
    const key = `${provider} ${state}`;
    const count = counts.get(key) ?? { labels: { provider, state }, value: 0 };
    count.value += 1;
    counts.set(key, count);
  }
  return [...counts.values()];
}
