import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspectJournal } from '#storage';
import { openPatiently } from './open-patiently.ts';
import { kindOf } from '../../src/accounts/ledger/store/store-codec.ts';
import { type Audit, auditLedger } from './audit.ts';
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
/** Progress is dropped with a heartbeat, which comes this late without any. */
const EMPTY_LIMIT_MS = 15_000;

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
    audit: await auditLedger(books.database, { truths: upstream.truths, sightings }),
    sightings,
    cut: sightings.filter(({ status, whole }) => status === 200 && !whole).length,
    longestWaitMs: Math.max(...sightings.map(({ startedAtMs, answeredAtMs }) => answeredAtMs - startedAtMs)),
  };
}

async function waitForServer({ url }: ExternalServer): Promise<number> {
  const database = openPatiently({ connection: { url }, applicationName: 'sluice test', maxConnections: 1 });
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

/** Milliseconds until none of these settlements waits. */
export async function waitUntilWritten(gateway: Gateway, waiting: readonly string[]): Promise<number> {
  const startedAtMs = performance.now();
  await pollFor(SHIP_LIMIT_MS, async () => {
    const still = new Set(await findWaiting(gateway));
    return waiting.filter((id) => still.has(id));
  });
  return performance.now() - startedAtMs;
}

/** The ids of settlements in the journal. */
export async function findWaiting(gateway: Gateway): Promise<string[]> {
  const records = (await readRecords(gateway)).filter((text) => kindOf(text) === 'settlement');
  return records.map((text) => (JSON.parse(text) as { id: string }).id);
}

/** Nothing is left of requests once all have ended. */
async function waitForEmptyJournal(gateway: Gateway): Promise<void> {
  await pollFor(EMPTY_LIMIT_MS, async () =>
    (await readRecords(gateway)).map(kindOf).filter((kind) => kind !== 'owner'),
  );
}

async function readRecords({ dataDir }: Gateway): Promise<string[]> {
  return (await inspectJournal(join(dataDir, 'journal'))).records;
}

/** Until nothing is found. */
async function pollFor(limitMs: number, find: () => Promise<string[]>): Promise<void> {
  const startedAtMs = performance.now();
  for (let found = await find(); found.length > 0; found = await find()) {
    if (performance.now() - startedAtMs > limitMs)
      throw new Error(`${found.length} records (${found[0]} …) still wait after ${limitMs} ms`);
    await sleep(POLL_MS);
  }
}
