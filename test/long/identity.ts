import { setTimeout as sleep } from 'node:timers/promises';
import { auditBooks, findFault } from '../support/audit.ts';
import { openBooks } from '../support/books.ts';
import { createProviderConfig, startGateway } from '../support/gateway.ts';
import { startMockUpstream } from '../support/mock-upstream.ts';
import { Traffic, scriptFaults, scriptTraffic } from '../support/traffic.ts';
import type { LongRun } from './long-run.ts';

const REQUESTS = 1_000_000;
const CLIENTS = 32;
const FAULTS = 0.2;
const REPORT_MS = 10_000;
const QUIET_MS = 5_000;

export const runIdentity: LongRun = {
  name: 'identity',
  summary: `${REQUESTS.toLocaleString('en')} mixed requests, one of five meets a fault of the provider or of its client; then the sums`,
  async run({ seed, count = REQUESTS, report }) {
    await using upstream = await startMockUpstream();
    scriptTraffic(upstream);
    scriptFaults(upstream);
    await using gateway = await startGateway({ config: createProviderConfig(upstream.baseUrl, {}) });
    const target = { url: gateway.url, apiKey: gateway.apiKey };
    const traffic = new Traffic({
      seed,
      clients: CLIENTS,
      slowShare: 0,
      faultShare: FAULTS,
      findTarget: () => target,
    });
    const stop = new AbortController();
    const done = traffic.run(stop.signal);
    for (let waitedMs = 0; traffic.sightings.length < count; waitedMs += 100) {
      await sleep(100);
      if (waitedMs % REPORT_MS === 0) report(`${traffic.sightings.length.toLocaleString('en')} requests`);
    }
    stop.abort();
    const sightings = await done;
    await using books = await openBooks(gateway.dataDir);
    await waitForQuiet(async () => {
      const { rows } = await books.database.query<{ n: bigint }>({ text: 'SELECT count(*) AS n FROM hold' });
      return rows[0]?.n === 0n;
    });
    const audit = await auditBooks(books.database, upstream.truths, sightings);
    const fault = findFault(audit);
    if (fault) throw new Error(fault);
    return (
      `${sightings.length.toLocaleString('en')} requests, ${audit.completed.toLocaleString('en')} completed: ledger minus truth 0; ` +
      `${audit.estimated} estimated within bounds, no phantom hold, no charge for a refusal`
    );
  },
};

async function waitForQuiet(isQuiet: () => Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; waitedMs < QUIET_MS && !(await isQuiet()); waitedMs += 50) await sleep(50);
}
