import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJsonObject } from '#base';
import type { Database, SocketConnection } from '#storage';
import { openPatiently } from '../open-patiently.ts';
import { type DatabaseLine, openDatabaseLine } from '../database-line.ts';
import { type Gateway, startGateway } from '../gateway.ts';
import { type MockUpstream, findClosedPort, startMockUpstream } from '../mock-upstream.ts';
import { startRedis } from '../redis.ts';
import { createSharedDatabase } from '../shared-server.ts';
import { createTemporaryFolder } from '../temporary.ts';
import { until } from '../until.ts';
import type { Batch, Cell } from './fault-cells.ts';
import { SILENCE_MS, type Store, type StoreControl } from './fault.ts';

/** Providers that are not to be hurried. */
const PATIENCE_MS = 60_000;

/** What keeps a gateway's process busy. */
interface Load {
  /** Without the one of each idle connection to PostgreSQL. */
  timers: number;
  /** Without the connections to providers and PostgreSQL, which are counted at their other ends. */
  descriptors: number;
}

/** A gateway with its stores, an afflicted and a good provider per cell, and a trap that must not be called. */
export interface FaultStage extends AsyncDisposable {
  gateway: Gateway;
  sick: MockUpstream;
  good: MockUpstream;
  trap: MockUpstream;
  database: Database;
  control: StoreControl;
  /** Answers of a healthy provider, whatever happens to the others. */
  healthyModel: string;
  readLoad(): Promise<Load>;
}

export const modelOf = ({ number }: Cell): string => `model-${number}`;

/** Starts it; `undefined` if the machine lacks a program. */
export async function openStage(store: Store, batches: readonly Batch[]): Promise<FaultStage | undefined> {
  await using opened = new AsyncDisposableStack();
  const redis = store === 'PostgreSQL' ? undefined : opened.use((await startRedis()) ?? undefined);
  if (store !== 'PostgreSQL' && !redis) return undefined;
  const [sick, good, trap] = [
    opened.use(await startMockUpstream()),
    opened.use(await startMockUpstream()),
    opened.use(await startMockUpstream()),
  ];
  const { connection } = opened.use(await createSharedDatabase());
  const line = opened.use(await openDatabaseLine(join(connection.host, `.s.PGSQL.${connection.port}`)));
  const database = openPatiently({
    connection,
    applicationName: 'test',
    maxConnections: 1,
    statementTimeoutMs: 600_000,
  });
  opened.defer(() => database.close());
  const folder = opened.use(createTemporaryFolder('sluice-faults-'));
  const probe = join(folder.path, 'load.json');
  const gateway = opened.use(
    await startGateway({
      config: describeProviders(batches, { sick, good, closedPort: await findClosedPort() }),
      nodeOptions: ['--import', './test/support/faults/leak-probe.ts'],
      env: {
        DATABASE_URL: toUrl(connection, line),
        SLUICE_SECRET: randomBytes(32).toString('hex'),
        SLUICE_ADAPTIVE_ROUTING: 'on',
        LEAK_PROBE: probe,
        ...(redis && { REDIS_URL: redis.url }),
      },
    }),
  );
  const all = opened.move();
  return {
    gateway,
    sick,
    good,
    trap,
    database,
    healthyModel: HEALTHY,
    control: {
      cutDatabase: () => line.cut(),
      holdDatabase: () => line.hold(),
      mendDatabase: async () => {
        line.mend();
        await until('the gateway is ready', async () => (await gateway.request('/readyz')).status === 200);
      },
      ...(redis && { redis }),
    },
    readLoad: async () => {
      const { timers, descriptors } = await readProbe(gateway, probe);
      const known = line.connections + sick.connections + good.connections;
      return { timers: timers - line.connections, descriptors: descriptors - known };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const HEALTHY = 'model-healthy';

function toUrl({ user, password, database }: SocketConnection, { port }: DatabaseLine): string {
  return `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

interface Addresses {
  sick: MockUpstream;
  good: MockUpstream;
  closedPort: number;
}

/** Health and budgets belong to providers, so that each cell has providers of its own. */
function describeProviders(batches: readonly Batch[], { sick, good, closedPort }: Addresses): string {
  const isSilent = batches.some(({ cells }) => cells.some(({ fault }) => fault.isSilent));
  const silenceMs = isSilent ? SILENCE_MS : PATIENCE_MS;
  const lines = [
    'logLevel: error',
    `timeouts: { firstEventMs: ${silenceMs}, idleMs: ${silenceMs}, totalMs: ${10 * PATIENCE_MS} }`,
    'providers:',
  ];
  const add = (id: string, facts: { format: string; url: string; model: string; price: number }): void => {
    lines.push(
      `  - { id: ${id}, format: ${facts.format}, baseUrl: "${facts.url}", apiKey: mock-key, cancellation: all, models: [{ id: ${facts.model}, contextLength: 100000, maxOutput: 1000, price: { input: "${facts.price}", output: "${5 * facts.price}" } }] }`,
    );
  };
  add('healthy', { format: 'chat', url: good.baseUrl, model: HEALTHY, price: 1 });
  for (const cell of batches.flatMap(({ cells }) => cells)) {
    const model = modelOf(cell);
    const url = cell.fault.address === 'closed' ? `http://127.0.0.1:${closedPort}/v1` : sick.baseUrl;
    add(`sick-${cell.number}`, { format: cell.sickFormat, url, model, price: 1 });
    if (cell.place === 'beside another')
      add(`good-${cell.number}`, { format: cell.goodFormat, url: good.baseUrl, model, price: 2 });
  }
  return [...lines, ''].join('\n');
}

interface Probed extends Load {
  number: number;
}

async function readProbe(gateway: Gateway, file: string): Promise<Probed> {
  const read = (): Probed | undefined => {
    try {
      return parseJsonObject(readFileSync(file, 'utf8')) as unknown as Probed;
    } catch {
      return undefined;
    }
  };
  const before = read()?.number ?? 0;
  gateway.process.kill('SIGUSR2');
  let report: Probed | undefined;
  await until('the gateway reports its load', () => {
    report = read();
    return report !== undefined && report.number > before;
  });
  return report as Probed;
}
