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

/** What a test does to the database while requests run. */
interface OutagePlan {
  seed: number;
  clients: number;
  slowShare: number;
  /** How many of the clients never ask for a long answer, so that somebody always asks. */
  quickClients?: number;
  /** The load ends when this does. */
  disturb(stage: OutageStage): Promise<void>;
}

export interface OutageStage {
  server: ExternalServer;
  gateway: Gateway;
  sightings: readonly Sighting[];
  /** Resolves when the database accepts connections again; gives when that was. */
  waitForServer(): Promise<number>;
}

interface OutageFigures {
  audit: Audit;
  sightings: readonly Sighting[];
  /** Streams and answers that began and did not come to their end. */
  cut: number;
  longestWaitMs: number;
}

const POLL_MS = 10;
const KNOWN_BEFORE_MS = 1_000;
const SHIP_LIMIT_MS = 10_000;

/** A gateway under load on an external PostgreSQL that comes and goes; then the books. */
export async function runOutagePlan(plan: OutagePlan): Promise<OutageFigures> {
  await using upstream = await startMockUpstream();
  scriptTraffic(upstream);
  await using server = await startExternalServer();
  const env = { DATABASE_URL: server.url, SLUICE_SECRET: randomBytes(32).toString('hex') };
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

/** Milliseconds until nothing waits any more. */
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

/** Settlements, not what is kept of open streams. */
export async function countWaiting({ dataDir }: Gateway): Promise<number> {
  return (await readJournal({ dataDir })).records;
}
