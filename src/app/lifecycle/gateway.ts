import type { Accounts } from '#accounts';
import type { Catalogue } from '#catalogue';
import type { HttpPorts, HttpServer } from '#http';
import type { Log, Metrics, Telemetry } from '#telemetry';
import type { HealthRegistry } from '#routing';
import type { Videos } from '#videos';
import type { FirstRun } from './first-run.ts';
import type { Settings } from '../settings/settings.ts';
import type { Stores } from './stores/stores.ts';
import { systemClock } from '#base';
import { detailOf } from '#errors';
import { createHttpServer } from '#http';
import { type ProcessMemory, createProcessMemory } from '#pipeline';
import { openTelemetry } from './telemetry/open-telemetry.ts';
import type { FeedFollower } from '../feed/follow-feed.ts';
import { openFeed, startFeed } from './compose-feed.ts';
import { type BackgroundDeliveries, composeBackgroundDeliveries } from './background-deliveries.ts';
import { composeHostCheck, composePorts } from './compose-ports.ts';
import { composeVideos } from './compose-videos.ts';
import { createDashboardLink } from '../doctor/dashboard-link.ts';
import { readDashboardFiles } from './dashboard-files.ts';
import { drain } from './drain.ts';
import { prepareFirstRun } from './first-run.ts';
import { type LiveConfiguration, createLiveConfiguration } from './configuration/live-configuration.ts';
import { type LiveIssuer, createLiveIssuer } from './configuration/live-issuer.ts';
import { listen } from './listen.ts';
import { type ServedMetrics, serveMetrics } from './telemetry/metrics.ts';
import type { GaugeSources } from './telemetry/gauges.ts';
import { keepPrices } from './configuration/price-versions.ts';
import { SharedHealth } from './shared-health.ts';
import { openStores } from './stores/stores.ts';

export interface RunningGateway {
  url: string;
  /** Where the metrics are, if they are served. */
  metricsUrl?: string;
  /** The keys created at the first start; shown once. */
  firstRun?: FirstRun;
  organizationId: string;
  projectId: string;
  dataDir: string;
  /** Open requests. */
  readonly openRequests: number;
  /** A link to the dashboard at an address; undefined without a build, or if none can be made now. */
  openDashboard(url: string): Promise<string | undefined>;
  /** Applies a changed configuration. */
  reconfigure(settings: Settings): void;
  /** Drains and stops: readiness fails, open answers finish up to the limit, stores close. */
  stop(): Promise<void>;
}

/** Composes the rooms into a running gateway; a start that fails or is aborted closes what it has opened. */
export async function startGateway(
  settings: Settings,
  log: Log,
  signal?: AbortSignal,
): Promise<RunningGateway> {
  await using opening = new AsyncDisposableStack();
  const stores = opening.use(await openStores(settings, { role: 'gateway', log, signal }));
  const issuer = createLiveIssuer(settings.oidc, log);
  return await compose(
    { settings, log, ...(await openFeed(settings, stores, log)), stores, issuer },
    opening,
  );
}

interface Parts {
  settings: Settings;
  log: Log;
  catalogue: Catalogue;
  feed: FeedFollower;
  stores: Stores;
  issuer: LiveIssuer;
}

/** What is opened here is closed in reverse order. */
async function compose(parts: Parts, opening: AsyncDisposableStack): Promise<RunningGateway> {
  const { settings, log, feed, stores } = parts;
  const { accounts } = stores;
  const live = opening.adopt(await openLive(parts), (one) => one.close());
  const memory = createProcessMemory(systemClock);
  const begun: Partial<Begun> = {};
  const sources = composeSources({ ...parts, live }, memory, begun);
  const reporting = opening.adopt(await openTelemetry(settings, log, sources), (one) => one.close());
  const { telemetry, metrics } = reporting;
  opening.defer(() => feed.close());
  const outlets = composeBackgroundDeliveries({ stores, health: memory.health, feed, log });
  opening.defer(() => outlets.close());
  const videos = opening.adopt(openVideos(parts, { live, telemetry, health: memory.health }), (one) =>
    one.close(),
  );
  let isDraining = false;
  const reports = { telemetry, metrics, countOpen: sources.countOpen, isDraining: () => isDraining };
  const ports = composePorts({ ...parts, clock: systemClock }, { live, videos, memory, ...reports });
  const http = createServer(parts, telemetry, ports);
  Object.assign(begun, { http, ports, outlets });
  await outlets.begin(settings);
  const url = await listen(http.server, settings);
  opening.defer(() => void http.server.close());
  // Only once it listens: a port in use must not cost the first keys, which are shown once.
  const account = await prepareFirstRun(accounts);
  const served = await openMetricsServer(settings, metrics);
  opening.defer(() => served?.close());
  await videos.start();
  opening.adopt(startSharedHealth(stores, memory), (one) => one.close());
  outlets.replace(settings);
  startFeed(feed, live, stores);
  const opened = opening.move();
  return {
    url,
    ...(served && { metricsUrl: served.url }),
    ...account,
    dataDir: settings.dataDir,
    get openRequests() {
      return http.openRequests;
    },
    reconfigure: (next) => reconfigure({ ...parts, live, outlets }, next),
    openDashboard: (to) => openDashboard(accounts, to),
    stop: async () => {
      isDraining = true;
      accounts.ledger.stopWaiting();
      await drain(http, memory, settings);
      await opened.disposeAsync();
    },
  };
}

function createServer({ settings }: Parts, telemetry: Telemetry, ports: HttpPorts): HttpServer {
  return createHttpServer({
    telemetry,
    maxConnections: settings.maxConnections,
    limits: { ...(settings.openBodyBytes !== undefined && { openBodyBytes: settings.openBodyBytes }) },
    ports,
  });
}

async function openLive({
  settings,
  catalogue,
  stores: { accounts, database },
}: Parts): Promise<LiveConfiguration> {
  const live = createLiveConfiguration(catalogue, settings, accounts.openCredential);
  await keepPrices(database, live.current.catalogue);
  return live;
}

function startSharedHealth({ database }: Stores, { health }: ProcessMemory): SharedHealth {
  const sharedHealth = new SharedHealth({ database, health, clock: systemClock });
  sharedHealth.start();
  return sharedHealth;
}

/** What metrics report on once it runs. */
interface Begun {
  http: HttpServer;
  ports: HttpPorts;
  outlets: BackgroundDeliveries;
}

function composeSources(
  { stores, feed, live }: Parts & { live: LiveConfiguration },
  { health }: ProcessMemory,
  begun: Readonly<Partial<Begun>>,
): Omit<GaugeSources, 'countTraced'> {
  return {
    stores,
    health,
    isListed: (providerId) => live.current.catalogue.providers.has(providerId),
    countOpen: () => begun.http?.openRequests ?? 0,
    countStreams: () => begun.http?.openStreams ?? 0,
    countQueued: () => begun.ports?.generation.capacity.queued ?? [],
    exports: () => begun.outlets?.exports.progress ?? new Map(),
    feed: () => feed.report,
  };
}

/** Must not fail a start. */
async function openDashboard({ directory }: Accounts, url: string): Promise<string | undefined> {
  if (!readDashboardFiles()) return undefined;
  return createDashboardLink(directory, { url, label: 'start of the gateway' }).then(
    (link) => link.url,
    () => undefined,
  );
}

function openVideos(
  { settings, log, stores }: Parts,
  running: { live: LiveConfiguration; telemetry: Telemetry; health: HealthRegistry },
): Videos {
  const onFault = (error: unknown): void =>
    log.error({ reason: detailOf(error) }, 'background work of videos failed');
  const exclusive = settings.databaseUrl === undefined;
  return composeVideos({ ...running, stores, clock: systemClock, exclusive, onFault });
}

interface Reconfigured extends Pick<Parts, 'stores' | 'log' | 'issuer' | 'feed'> {
  live: LiveConfiguration;
  outlets: BackgroundDeliveries;
}

function reconfigure({ live, issuer, stores, outlets, feed, log }: Reconfigured, next: Settings): void {
  issuer.replace(next.oidc);
  outlets.replace(next);
  stores.limitLogs(next.logLimits);
  live.replace(next);
  feed.replace(next.catalogue);
  keepPrices(stores.database, live.current.catalogue).catch((error: unknown) =>
    log.error({ reason: String(error) }, 'prices were not stored'),
  );
}

/** On a port of their own, if the settings name one. */
async function openMetricsServer(
  settings: Settings,
  metrics: Metrics | undefined,
): Promise<ServedMetrics | undefined> {
  const { host = '127.0.0.1', port } = settings.metrics ?? {};
  if (!metrics || port === undefined) return undefined;
  return serveMetrics(metrics, { host, port }, composeHostCheck({ ...settings, host }));
}
