import { setTimeout as sleep } from 'node:timers/promises';
import { type Books, openBooks } from '../books.ts';
import { type Gateway, startGateway } from '../gateway.ts';
import { until } from '../until.ts';
import { type Asked, RouteClients } from './route-clients.ts';
import { type Call, type Figures, type Seen, measure } from './route-figures.ts';
import { RouteProvider, textOf } from './route-provider.ts';
import type { Fleet, Scenario } from './route-scenarios.ts';

const CLIENTS = 12;
const PROVIDERS = 3;
/** Healthy traffic before the fault. */
const WARM_MS = 5_000;
/** Requests that are open at the end have failed after this time. */
const GRACE_MS = 10_000;

/** What a scenario came to. */
interface ScenarioReport {
  figures: Figures;
  /** Violations that no goal allows: rows, holds, the ledger. */
  faults: string[];
  /** The most frequent sequences of attempts, and the messages of failures. */
  details: string[];
}

/** A provider and its place in its fleet. */
interface Placed {
  provider: RouteProvider;
  place: number;
  fleet: Fleet;
}

interface Timing {
  seed: number;
  seconds: number;
}

/** Runs one scenario on a gateway of its own. */
export async function runScenario(scenario: Scenario, { seed, seconds }: Timing): Promise<ScenarioReport> {
  await using resources = new AsyncDisposableStack();
  const placed = await startProviders(scenario.fleets, seed);
  for (const { provider } of placed) resources.use(provider);
  const gateway = resources.use(
    await startGateway({
      config: toConfig(placed),
      env: { SLUICE_LEASES: 'off', SLUICE_ADAPTIVE_ROUTING: 'on' },
    }),
  );
  const clients = new RouteClients({
    url: gateway.url,
    apiKey: gateway.apiKey,
    seed,
    clients: CLIENTS,
    models: scenario.fleets.map(({ model }) => model),
    patienceMs: scenario.patienceMs,
    texts: new Map(placed.map(({ provider: { id } }) => [textOf(id), id])),
  });
  const { faultAtMs, endMs } = await drive(scenario, { clients, placed, seconds });
  const { faultSeconds } = scenario;
  const seen: Seen = {
    asked: clients.asked,
    calls: placed.flatMap(toCalls).toSorted((a, b) => a.atMs - b.atMs),
    places: new Map(placed.map(({ provider, place }) => [provider.id, place])),
    faultAtMs,
    faultEndMs: faultSeconds === undefined ? endMs : faultAtMs + faultSeconds * 1_000,
  };
  await using books = await openBooks(gateway.dataDir);
  return {
    figures: measure(seen, scenario.goal),
    faults: await audit({ books, gateway, asked: clients.asked }),
    details: await describe(books, seen),
  };
}

async function startProviders(fleets: readonly Fleet[], seed: number): Promise<Placed[]> {
  const placed: Placed[] = [];
  for (const [number, fleet] of fleets.entries()) {
    for (let place = 0; place < (fleet.providers ?? PROVIDERS); place += 1) {
      const format = place === 0 ? (fleet.format ?? 'chat') : place === 1 ? 'messages' : 'chat';
      const id = `${['cheap', 'middle', 'costly'][place]}-${number}`;
      const provider = await RouteProvider.start(id, format, seed + number * PROVIDERS + place);
      placed.push({ provider, place, fleet });
    }
  }
  return placed;
}

function toConfig(placed: readonly Placed[]): string {
  const rows = placed.flatMap(({ provider, place, fleet }) => [
    `  - id: ${provider.id}`,
    `    format: ${provider.format}`,
    `    baseUrl: ${provider.upstream.baseUrl}`,
    '    apiKey: mock-key',
    '    cancellation: all',
    '    models:',
    `      - id: ${fleet.model}`,
    '        contextLength: 200000',
    '        maxOutput: 32000',
    `        price: { input: "${place + 1}", output: "${5 * (place + 1)}" }`,
  ]);
  return ['providers:', ...rows, ''].join('\n');
}

interface Stage {
  clients: RouteClients;
  placed: readonly Placed[];
  seconds: number;
}

/** Healthy traffic, then the fault, until the end. */
async function drive(
  scenario: Scenario,
  { clients, placed, seconds }: Stage,
): Promise<{ faultAtMs: number; endMs: number }> {
  const stop = new AbortController();
  const cut = new AbortController();
  const afflict = (): number => {
    const atMs = performance.now();
    for (const { provider, place, fleet } of placed) {
      provider.behave(fleet.conduct({ provider, place, elapsedMs: () => performance.now() - atMs }));
      provider.upstream.closeReused(() => provider.draw() < (scenario.closesReused ?? 0));
    }
    return atMs;
  };
  let faultAtMs = scenario.isCold === true ? afflict() : 0;
  const done = clients.run(stop.signal, cut.signal);
  if (scenario.isCold !== true) {
    await sleep(WARM_MS);
    faultAtMs = afflict();
  }
  await sleep(Math.max(seconds, scenario.leastSeconds ?? 0) * 1_000);
  const endMs = performance.now();
  stop.abort();
  const grace = setTimeout(() => cut.abort(), GRACE_MS);
  await done;
  clearTimeout(grace);
  return { faultAtMs, endMs };
}

function toCalls({ provider, place }: Placed): Call[] {
  return provider.truths.map(({ receivedAtMs }) => ({ place, atMs: receivedAtMs }));
}

interface Audited {
  books: Books;
  gateway: Gateway;
  asked: readonly Asked[];
}

/** Every request has one row, nothing is held, and the ledger agrees. */
async function audit({ books, gateway, asked }: Audited): Promise<string[]> {
  const faults: string[] = [];
  const counts = await readCounts(books, faults);
  const wrong = asked.filter(({ id }) => counts.get(id) !== 1);
  if (wrong.length > 0)
    faults.push(`${wrong.length} requests without exactly one row, such as ${wrong[0]?.id}`);
  const mixed = asked.filter(({ outcome }) => outcome === 'mixed');
  if (mixed.length > 0) faults.push(`${mixed.length} answers not of one provider: ${mixed[0]?.message}`);
  const { code, stdout } = await gateway.cli('ledger', 'check');
  if (code !== 0) faults.push(`the ledger differs: ${stdout}`);
  return faults;
}

/** The rows per request, once nothing is held any more. */
async function readCounts({ database }: Books, faults: string[]): Promise<Map<string, number>> {
  await until('nothing is held', async () => {
    const { rows } = await database.query<{ count: number }>({
      text: 'SELECT count(*)::int AS count FROM hold',
    });
    return rows[0]?.count === 0;
  }).catch(() => faults.push('a hold is still open'));
  const { rows } = await database.query<{ id: string; count: number }>({
    text: `SELECT client_request_id AS id, count(*)::int AS count FROM request_log
           WHERE client_request_id IS NOT NULL GROUP BY 1`,
  });
  return new Map(rows.map(({ id, count }) => [id, count]));
}

interface LoggedAttempt {
  providerId: string;
  outcome: string;
  status?: number;
}

const MOST_DETAILS = 6;

/** The most frequent sequences of attempts under fault, with what the clients saw. */
async function describe({ database }: Books, { asked, faultAtMs }: Seen): Promise<string[]> {
  const { rows } = await database.query<{ id: string; attempts: LoggedAttempt[] }>({
    text: 'SELECT client_request_id AS id, attempts FROM request_log WHERE client_request_id IS NOT NULL',
  });
  const outcomes = new Map(
    asked.filter(({ startedMs }) => startedMs >= faultAtMs).map((one) => [one.id, one.outcome]),
  );
  const counts = new Map<string, number>();
  for (const { id, attempts } of rows) {
    if (!outcomes.has(id)) continue;
    const path = attempts.map(
      ({ providerId, outcome, status }) =>
        `${providerId.replace(/-\d+$/, '')}:${outcome}${status === undefined ? '' : `/${status}`}`,
    );
    const line = `${outcomes.get(id)}: ${path.join(' > ')}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  const frequent = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, MOST_DETAILS);
  const message = asked.find((one) => one.message !== undefined && one.startedMs >= faultAtMs)?.message;
  return [
    ...frequent.map(([line, count]) => `${count} × ${line}`),
    ...(message === undefined ? [] : [`such as ${message}`]),
  ];
}
