import type { Accounts } from '#accounts';
import type { Catalogue } from '#catalogue';
import type { HttpPorts, HttpServer } from '#http';
import type { Log, Metrics, Telemetry } from '#telemetry';
import type { Videos } from '#videos';
import type { DefaultAccount, FirstRun } from './first-run.ts';
import type { Settings } from '../settings/settings.ts';
import type { Stores } from './stores.ts';
import { createLimiter } from '#accounts';
import { systemClock, reasonOf } from '#base';
import { ResponseCache } from '#cache';
import {
  ENDPOINTS,
  StreamPlaces,
  createHealthProbe,
  createHostCheck,
  createHttpServer,
  createOpenapiReader,
} from '#http';
import { CursorStore } from '#exports';
import { Capacity, type ProcessMemory, createProcessMemory } from '#pipeline';
import { openTelemetry } from './open-telemetry.ts';
import type { FeedFollower } from '../feed/follow-feed.ts';
import { openFeed, startFeed } from './compose-feed.ts';
import { composeOperations } from './compose-operations.ts';
import { composeInstallation } from './compose-installation.ts';
import { type Outlets, composeOutlets } from './outlets.ts';
import { composeVideos } from './compose-videos.ts';
import { createDashboardLink } from '../doctor/dashboard-link.ts';
import { readDashboardFiles } from './dashboard-files.ts';
import { drain } from './drain.ts';
import { refuseFullDisk } from './free-space.ts';
import { prepareFirstRun } from './first-run.ts';
import { type Live, createLive } from './live.ts';
import { type LiveIssuer, createLiveIssuer } from './live-issuer.ts';
import { isLoopback } from '../settings/loopback.ts';
import { version } from '../settings/package.ts';
import { listen } from './listen.ts';
import { type ServedMetrics, serveMetrics } from './metrics.ts';
import type { Sources } from './gauges.ts';
import { keepPrices } from './price-book.ts';
import { SharedHealth } from './shared-health.ts';
import { openStores } from './stores.ts';

type Server = HttpServer['server'];

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

/** Composes the rooms into a running gateway; on failure nothing is left running. */
export async function startGateway(settings: Settings, log: Log): Promise<RunningGateway> {
  const stores = await openStores(settings, { role: 'gateway', log });
  try {
    const issuer = createLiveIssuer(settings.oidc, log);
    const opened = await openFeed(settings, stores, log);
    return await compose({ settings, log, ...opened, stores, issuer });
  } catch (error) {
    await closeStores(stores);
    throw error;
  }
}

interface Parts {
  settings: Settings;
  log: Log;
  catalogue: Catalogue;
  feed: FeedFollower;
  stores: Stores;
  issuer: LiveIssuer;
}

async function compose(parts: Parts): Promise<RunningGateway> {
  const { settings, log, feed, stores } = parts;
  const { accounts } = stores;
  const live = await openLive(parts);
  const memory = createProcessMemory(systemClock);
  const sources = composeSources(parts, memory, () => ({ http, ports, outlets }));
  const { telemetry, metrics, ...opened } = await openTelemetry(settings, log, sources);
  const videos = openVideos(parts, live, telemetry);
  const outlets = composeOutlets({ stores, health: memory.health, feed, log });
  let isDraining = false;
  const reports = { telemetry, metrics, countOpen: sources.countOpen, isDraining: () => isDraining };
  const ports = composePorts(parts, { live, videos, memory, ...reports });
  const http = createHttpServer({
    telemetry,
    maxConnections: settings.maxConnections,
    limits: { ...(settings.openBodyBytes !== undefined && { openBodyBytes: settings.openBodyBytes }) },
    ports,
  });
  await outlets.begin(settings);
  const url = await listen(http.server, settings);
  const account = await openAccount(accounts, http.server);
  const served = await openMetricsServer(parts, metrics, http.server);
  await videos.start();
  const sharedHealth = startSharedHealth(stores, memory);
  outlets.replace(settings);
  startFeed(feed, live, stores);
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
      await sharedHealth.close();
      served?.close();
      await videos.close();
      await outlets.close();
      await feed.close();
      await opened.close();
      await live.close();
      await closeStores(stores);
    },
  };
}

async function openLive({ settings, catalogue, stores: { accounts, database } }: Parts): Promise<Live> {
  const live = createLive(catalogue, settings, accounts.openCredential);
  await keepPrices(database, live.current.catalogue);
  return live;
}

function startSharedHealth({ database }: Stores, { health }: ProcessMemory): SharedHealth {
  const sharedHealth = new SharedHealth({ database, health, clock: systemClock });
  sharedHealth.start();
  return sharedHealth;
}

/** What metrics are read from, of which some begins later. */
function composeSources(
  { stores, feed }: Parts,
  { health }: ProcessMemory,
  begun: () => { http: HttpServer; ports: HttpPorts; outlets: Outlets },
): Omit<Sources, 'countTraced'> {
  return {
    stores,
    health,
    countOpen: () => begun().http.openRequests,
    countQueued: () => begun().ports.generation.capacity.queued,
    exports: () => begun().outlets.exports.progress,
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

interface Running extends Pick<HttpPorts, 'videos' | 'isDraining'> {
  live: Live;
  telemetry: Telemetry;
  metrics: Metrics | undefined;
  memory: ProcessMemory;
  countOpen(): number;
}

/** Everything endpoints can depend on. */
function composePorts(parts: Parts, running: Running): HttpPorts {
  const { settings, log, stores, issuer } = parts;
  const { live, telemetry, metrics, videos, memory, isDraining } = running;
  const { accounts, conversations, logs, usage, sessions, bills, cacheMisses } = stores;
  const probe = createProbe(parts);
  return {
    accounts,
    clock: systemClock,
    conversations,
    feed: stores.feed,
    catalogue: () => live.current.catalogue,
    checkHost: composeHostCheck(settings),
    checkOwnHost: composeOwnHostCheck(settings),
    dashboard: readDashboardFiles,
    generation: composeGeneration({ stores, log, live, telemetry, memory }),
    health: probe,
    installation: composeInstallation(stores, {
      plans: () => live.plans,
      byokTerms: () => live.byokTerms,
    }),
    issuer: issuer.current,
    isDraining,
    isTrustedProxy: (address) => live.current.isTrustedProxy(address),
    listExports: () => new CursorStore(stores.database).list(),
    logs,
    logStreams: new StreamPlaces(),
    metrics: () => (settings.metrics?.isForAdminKeys ? metrics : undefined),
    openapi: createOpenapiReader(ENDPOINTS, version),
    operations: composeOperations({
      ...running,
      settings,
      stores,
      health: memory.health,
      probe,
      clock: systemClock,
    }),
    ownModels: (caller) => live.of(caller).own,
    payloads: stores.payloads,
    usage,
    sessions,
    bills,
    cacheMisses,
    videos,
    version,
  };
}

function composeHostCheck({ host, hosts }: Settings): HttpPorts['checkHost'] {
  return createHostCheck({
    isLocal: isLoopback(host),
    hosts: hosts.length === 0 ? [] : [...hosts, host],
  });
}

/** A browser sends cookies to any name that another site gives this machine. */
function composeOwnHostCheck({ host, hosts }: Settings): HttpPorts['checkOwnHost'] {
  return createHostCheck({ isLocal: true, hosts: [...hosts, host] });
}

function createProbe({ settings, stores }: Parts): HttpPorts['health'] {
  const { keyValue, database, accounts } = stores;
  const checks = {
    redis: () => keyValue.ping(),
    database: () => database.ping(2_000),
    ledger: async () => {
      await refuseFullDisk(settings.dataDir);
      await accounts.ledger.checkReady();
    },
  };
  return createHealthProbe(checks, systemClock);
}

interface GenerationParts extends Pick<Parts, 'stores' | 'log'> {
  live: Live;
  telemetry: Telemetry;
  memory: ProcessMemory;
}

function composeGeneration(parts: GenerationParts): HttpPorts['generation'] {
  const { stores, log, live, telemetry, memory } = parts;
  const { accounts, conversations, keyValue } = stores;
  const limiter = createLimiter({ clock: systemClock, log, keyValue });
  return {
    accounts,
    cache: new ResponseCache(keyValue),
    capacity: new Capacity(limiter),
    clock: systemClock,
    conversations,
    payloads: stores.payloadKeeper,
    ...memory,
    lastPrompts: stores.lastPrompts,
    limiter,
    objects: stores.objects,
    telemetry,
    live: (caller) => live.of(caller),
  };
}

function openVideos({ settings, log, stores }: Parts, live: Live, telemetry: Telemetry): Videos {
  const onFault = (error: unknown): void => log.error({ reason: reasonOf(error) }, 'videos');
  const exclusive = settings.databaseUrl === undefined;
  return composeVideos({ stores, live, clock: systemClock, telemetry, exclusive, onFault });
}

interface Reconfigured extends Pick<Parts, 'stores' | 'log' | 'issuer' | 'feed'> {
  live: Live;
  outlets: Outlets;
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

/** Only after listening succeeded: a port in use must not cost the first keys, which are shown once. */
async function openAccount(accounts: Accounts, server: Server): Promise<DefaultAccount> {
  try {
    return await prepareFirstRun(accounts);
  } catch (error) {
    server.close();
    throw error;
  }
}

/** On a port of their own, if the settings name one. */
async function openMetricsServer(
  { settings }: Parts,
  metrics: Metrics | undefined,
  server: Server,
): Promise<ServedMetrics | undefined> {
  const { host = '127.0.0.1', port } = settings.metrics ?? {};
  if (!metrics || port === undefined) return undefined;
  try {
    return await serveMetrics(metrics, { host, port }, composeHostCheck({ ...settings, host }));
  } catch (error) {
    server.close();
    throw error;
  }
}

async function closeStores(stores: Stores): Promise<void> {
  await stores[Symbol.asyncDispose]();
}
