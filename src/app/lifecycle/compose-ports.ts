import { statfs } from 'node:fs/promises';
import type { Clock } from '#base';
import type { Catalogue } from '#catalogue';
import type { HttpPorts } from '#http';
import type { Log, Metrics, Telemetry } from '#telemetry';
import type { Settings } from '../settings/settings.ts';
import type { FeedFollower } from '../feed/follow-feed.ts';
import type { LiveIssuer } from './configuration/live-issuer.ts';
import type { Stores } from './stores/stores.ts';
import type { LiveConfiguration } from './configuration/live-configuration.ts';
import { type Availability, createLimiter } from '#accounts';
import { ResponseCache } from '#cache';
import { ENDPOINTS, StreamPlaces, createHealthProbe, createHostCheck, createOpenapiReader } from '#http';
import { Capacity, type ProcessMemory } from '#pipeline';
import { isLoopback } from '../settings/loopback.ts';
import { version } from '../settings/package.ts';
import { composeInstallation } from './compose-installation.ts';
import { explainBill } from './explain-bill.ts';
import { composeOperations } from './compose-operations.ts';
import { composeReportPorts } from './compose-report-ports.ts';
import { readDashboardFiles } from './dashboard-files.ts';

interface Parts {
  settings: Settings;
  log: Log;
  stores: Stores;
  issuer: LiveIssuer;
  feed: Pick<FeedFollower, 'report'>;
  clock: Clock;
}

/** Parts that run before the endpoints can be called. */
interface Running extends Pick<HttpPorts, 'videos' | 'isDraining'> {
  live: LiveConfiguration;
  telemetry: Telemetry;
  metrics: Metrics | undefined;
  memory: ProcessMemory;
  countOpen(): number;
}

/** Everything endpoints can depend on. */
export function composePorts(parts: Parts, running: Running): HttpPorts {
  const { settings, log, stores, issuer, feed, clock } = parts;
  const { live, telemetry, metrics, videos, memory, isDraining } = running;
  const { accounts, conversations, logs, usage, sessions } = stores;
  const probe = createProbe(parts);
  const operations = composeOperations({
    ...running,
    settings,
    stores,
    health: memory.health,
    probe,
    clock,
    feed: () => feed.report,
  });
  return {
    accounts,
    clock,
    conversations,
    explainBill: (row) => explainBill(stores.database, row),
    feed: stores.feed,
    catalogue: () => live.current.catalogue,
    checkHost: composeHostCheck(settings),
    checkOwnHost: composeOwnHostCheck(settings),
    corsOrigins: settings.corsOrigins,
    dashboard: readDashboardFiles,
    generation: composeGeneration({ stores, log, clock, live, telemetry, memory }),
    health: probe,
    installation: composeInstallation(stores, { plans: () => live.plans, byokTerms: () => live.byokTerms }),
    issuer: issuer.current,
    isDraining,
    isTrustedProxy: (address) => live.current.isTrustedProxy(address),
    logs,
    logStreams: new StreamPlaces(),
    metrics: () => (settings.metrics?.isForAdminKeys ? metrics : undefined),
    openapi: createOpenapiReader(ENDPOINTS, version),
    operations,
    ownModels: (caller) => live.of(caller).own,
    isAvailable: (providerId, caller) => live.of(caller).providers.has(providerId),
    reports: composeReports(stores, { live, operations, videos }),
    usage,
    sessions,
    videos,
    version,
  };
}

interface Reported extends Pick<HttpPorts, 'operations' | 'videos'> {
  live: LiveConfiguration;
}

/** What reports read, with what this gateway can call and what its calls have shown. */
function composeReports(stores: Stores, { live, operations, videos }: Reported): HttpPorts['reports'] {
  const catalogue = (): Catalogue => live.current.catalogue;
  const readAvailability = async (): Promise<Availability> => {
    const providers = await operations.providers();
    return {
      catalogue: catalogue(),
      callable: new Set(providers.filter(({ live: isLive }) => isLive).map(({ id }) => id)),
      healths: providers.flatMap(({ id, mappings }) =>
        mappings.map(({ model, state }) => ({ providerId: id, model, isHealthy: state === 'healthy' })),
      ),
    };
  };
  const ports = composeReportPorts(stores, { catalogue, readAvailability });
  return { ...ports, listDeliveries: (filter) => videos.listDeliveries(filter) };
}

export function composeHostCheck({ host, hosts }: Settings): HttpPorts['checkHost'] {
  return createHostCheck({
    isLocal: isLoopback(host),
    hosts: hosts.length === 0 ? [] : [...hosts, host],
  });
}

/** A browser sends cookies to any name that another site gives this machine. */
function composeOwnHostCheck({ host, hosts }: Settings): HttpPorts['checkOwnHost'] {
  return createHostCheck({ isLocal: true, hosts: [...hosts, host] });
}

function createProbe({ settings, stores, clock }: Parts): HttpPorts['health'] {
  const { keyValue, database, accounts } = stores;
  const checks = {
    redis: () => keyValue.ping(),
    database: () => database.ping(2_000),
    ledger: async () => {
      await refuseFullDisk(settings.dataDir);
      await accounts.ledger.checkReady();
    },
  };
  return createHealthProbe(checks, clock);
}

interface GenerationParts extends Pick<Parts, 'stores' | 'log' | 'clock'> {
  live: LiveConfiguration;
  telemetry: Telemetry;
  memory: ProcessMemory;
}

function composeGeneration(parts: GenerationParts): HttpPorts['generation'] {
  const { stores, log, clock, live, telemetry, memory } = parts;
  const { accounts, conversations, keyValue } = stores;
  const limiter = createLimiter({ clock, log, keyValue });
  return {
    accounts,
    cache: new ResponseCache(keyValue),
    capacity: new Capacity(limiter),
    clock,
    conversations,
    payloads: stores.payloadQueue,
    ...memory,
    lastPrompts: stores.lastPrompts,
    limiter,
    objects: stores.objects,
    telemetry,
    live: (caller) => live.of(caller),
  };
}

/** The least space in which the journal and the database can write. */
const LEAST_BYTES = 8 * 2 ** 20;

/** Throws if the disk of a folder has no room left for programs without root rights. */
async function refuseFullDisk(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < LEAST_BYTES) throw new Error(`the disk of ${folder} is full`);
}
