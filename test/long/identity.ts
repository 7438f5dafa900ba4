import { setTimeout as sleep } from 'node:timers/promises';
import { type Audit, auditLedger, findFault } from '../support/audit.ts';
import { type Books, openBooks } from '../support/books.ts';
import { type Gateway, createProviderConfig, startGateway } from '../support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { Traffic, scriptFaults, scriptTraffic } from '../support/traffic.ts';
import type { LongRun } from './long-run.ts';

const REQUESTS = 1_000_000;
const CLIENTS = 96;
const FAULTS = 0.2;
/** After this many requests, the provider's and the clients' facts are compared with the ledger and discarded. */
const ROUND = 50_000;
const QUIET_MS = 5_000;

export const runIdentity: LongRun = {
  name: 'identity',
  summary: `${REQUESTS.toLocaleString('en')} mixed requests, one of five meets a fault of the provider or of its client; then the sums`,
  async run({ seed, count = REQUESTS, report }) {
    await using upstream = await startMockUpstream();
    await using gateway = await startGateway({
      config: createProviderConfig(upstream.baseUrl, {}),
      env: { SLUICE_LEASES: 'on' },
    });
    await using books = await openBooks(gateway.dataDir);
    const sums = { requests: 0, completed: 0, estimated: 0 };
    while (sums.requests < count) {
      const roundSeed = seed + sums.requests;
      const requests = Math.min(ROUND, count - sums.requests);
      const { audit, asked } = await runRound({ upstream, gateway, books }, roundSeed, requests);
      const fault = findFault(audit);
      if (fault) throw new Error(`after ${sums.requests} requests: ${fault}`);
      sums.requests += asked;
      sums.completed += audit.completed;
      sums.estimated += audit.estimated;
      report(`${sums.requests.toLocaleString('en')} requests`);
    }
    return (
      `${sums.requests.toLocaleString('en')} requests, ${sums.completed.toLocaleString('en')} completed: ledger minus truth 0; ` +
      `${sums.estimated.toLocaleString('en')} estimated within bounds, no phantom hold, no charge for a refusal`
    );
  },
};

interface Parties {
  upstream: MockUpstream;
  gateway: Gateway;
  books: Books;
}

async function runRound(
  { upstream, gateway, books }: Parties,
  seed: number,
  requests: number,
): Promise<{ audit: Audit; asked: number }> {
  upstream.clear();
  scriptTraffic(upstream);
  scriptFaults(upstream);
  const since = await readTime(books);
  const target = { url: gateway.url, apiKey: gateway.apiKey };
  const findTarget = () => target;
  const traffic = new Traffic({ seed, clients: CLIENTS, slowShare: 0, faultShare: FAULTS, findTarget });
  const stop = new AbortController();
  const done = traffic.run(stop.signal);
  while (traffic.sightings.length < requests) await sleep(20);
  stop.abort();
  const sightings = await done;
  await waitForQuiet(books);
  const audit = await auditLedger(books.database, { truths: upstream.truths, sightings, since });
  return { audit, asked: sightings.length };
}

async function readTime({ database }: Books): Promise<string> {
  const { rows } = await database.query<{ now: string }>({ text: 'SELECT clock_timestamp()::text AS now' });
  return rows[0]?.now ?? '';
}

async function waitForQuiet({ database }: Books): Promise<void> {
  for (let waitedMs = 0; waitedMs < QUIET_MS; waitedMs += 50) {
    const { rows } = await database.query<{ n: bigint }>({ text: 'SELECT count(*) AS n FROM hold' });
    if (rows[0]?.n === 0n) return;
    await sleep(50);
  }
}
