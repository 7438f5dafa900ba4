import { statfs } from 'node:fs/promises';
import type { Clock } from '#base';
import type { HttpPorts } from '#http';
import type { Log, Metrics, Telemetry } from '#telemetry';
import type { Settings } from '../settings/settings.ts';
import type { FeedFollower } from '../feed/follow-feed.ts';
import type { LiveIssuer } from './configuration/live-issuer.ts';
import type { Stores } from './stores/stores.ts';
import type { LiveConfiguration } from './configuration/live-configuration.ts';
import { createLimiter } from '#accounts';
import { ResponseCache } from '#cache';
import { CursorStore } from '#exports';
import { ENDPOINTS, StreamPlaces, createHealthProbe, createHostCheck, createOpenapiReader } from '#http';
import { Capacity, type ProcessMemory } from '#pipeline';
import { isLoopback } from '../settings/loopback.ts';
import { version } from '../settings/package.ts';
import { composeInstallation } from './compose-installation.ts';
import { explainBill } from './explain-bill.ts';
import { composeOperations } from './compose-operations.ts';
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
  const { accounts, conversations, logs, usage, sessions, bills, cacheMisses, experiments } = stores;
  const probe = createProbe(parts);
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
      clock,
      feed: () => feed.report,
    }),
    ownModels: (caller) => live.of(caller).own,
    isAvailable: (providerId, caller) => live.of(caller).providers.has(providerId),
    payloads: stores.payloads,
    prompts: stores.prompts,
    usage,
    sessions,
    bills,
    cacheMisses,
    latency: stores.latency,
    experiments,
    videos,
    version,
  };
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
