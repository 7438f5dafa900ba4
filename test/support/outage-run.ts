import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readJournal } from '#app';
import { openDatabase } from '#storage';
import { type Audit, auditBooks } from './audit.ts';
import { openBooks } from './books.ts';
import { type ExternalServer, startExternalServer } from './external-server.ts';
import { type Gateway, createProviderConfig, startGateway } from './gateway.ts';
import { startMockUpstream } from './mock-upstream.ts';
import { type Sighting, Traffic, scriptTraffic } from './traffic.ts';

/** Database outages while requests run. */
interface OutagePlan {
  seed: number;
  clients: number;
  slowShare: number;
  /** How many clients never request a long answer, so that requests keep coming. */
  quickClients?: number;
  /** The load ends when this does. */
  disturb(stage: OutageStage): Promise<void>;
}

export interface OutageStage {
  server: ExternalServer;
  gateway: Gateway;
  sightings: readonly Sighting[];
  /** Resolves with the time when the database accepts connections again. */
  waitForServer(): Promise<number>;
}

interface OutageFigures {
  audit: Audit;
  sightings: readonly Sighting[];
  /** Streams and answers that began and were not completed. */
  cut: number;
  longestWaitMs: number;
}

const POLL_MS = 10;
const KNOWN_BEFORE_MS = 1_000;
const SHIP_LIMIT_MS = 10_000;

/** A gateway under load on an external PostgreSQL with outages; then an audit. */
export async function runOutagePlan(plan: OutagePlan): Promise<OutageFigures> {
  await using upstream = await startMockUpstream();
  scriptTraffic(upstream);
  await using server = await startExternalServer();
  const env = {
    DATABASE_URL: server.url,
    SLUICE_SECRET: randomBytes(32).toString('hex'),
    SLUICE_LEASES: 'on',
  };
  await using gateway = await startGateway({ config: createProviderConfig(upstream.baseUrl, {}), env });
  const target = { url: gateway.url, apiKey: gateway.apiKey };
  const { disturb, ...load } = plan;
  const traffic = new Traffic({ ...load, findTarget: () => target });
  const stop = new AbortController();
  const done = traffic.run(stop.signal);
  await sleep(KNOWN_BEFORE_MS);
  const { sightings } = traffic;
  await disturb({ server, gateway, sightings, waitForServer: () => waitForServer(server) });
  stop.abort();
  await done;
  await waitForEmptyJournal(gateway);
  await using books = await openBooks({ url: server.url });
  return {
    audit: await auditBooks(books.database, { truths: upstream.truths, sightings }),
    sightings,
    cut: sightings.filter(({ status, whole }) => status === 200 && !whole).length,
    longestWaitMs: Math.max(...sightings.map(({ startedAtMs, answeredAtMs }) => answeredAtMs - startedAtMs)),
  };
}

async function waitForServer({ url }: ExternalServer): Promise<number> {
  const database = openDatabase({ connection: { url }, applicationName: 'sluice test', maxConnections: 1 });
  try {
    for (;;) {
      const isThere = await database.ping(1_000).then(
        () => true,
        () => false,
      );
      if (isThere) return performance.now();
      await sleep(POLL_MS);
    }
  } finally {
    await database.close();
  }
}

/** Milliseconds until the journal is empty. */
export async function waitForEmptyJournal(gateway: Gateway): Promise<number> {
  const startedAtMs = performance.now();
  for (;;) {
    const waiting = await countWaiting(gateway);
    const tookMs = performance.now() - startedAtMs;
    if (waiting === 0) return tookMs;
    if (tookMs > SHIP_LIMIT_MS)
      throw new Error(`${waiting} settlements still wait after ${SHIP_LIMIT_MS} ms`);
    await sleep(POLL_MS);
  }
}

/** Settlements, without checkpoints of open streams. */
export async function countWaiting({ dataDir }: Gateway): Promise<number> {
  return (await readJournal({ dataDir })).records;
}
