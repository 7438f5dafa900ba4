import { type Audit, auditLedger } from '../audit.ts';
import { type Books, openBooks } from '../books.ts';
import { createProviderConfig } from '../gateway.ts';
import { startMockUpstream } from '../mock-upstream.ts';
import { Traffic, scriptTraffic } from '../traffic.ts';
import { openBalancer } from './balancer.ts';
import { Fleet, type Version } from './fleet.ts';
import { openReplicas } from './replicas.ts';
import { BUDGET_SPENT, type Spent, Spender } from './spender.ts';

interface UpgradePlan {
  seed: number;
  clients: number;
  /** All gateways are of the first; then each version replaces the one before. */
  versions: readonly [Version, ...Version[]];
  report(line: string): void;
}

interface UpgradeReport extends Pick<Fleet, 'rejected' | 'leastOpen'> {
  audit: Audit;
  retired: number;
  requests: number;
  /** Requests that were refused other than for a budget that is spent. */
  refused: number;
  cut: number;
  /** Requests that waited for money at a gateway of a version that refuses those when it stops. */
  postponed: number;
  /** Budgets that were spent to their end, each during one replacement. */
  budgets: Spent[];
}

const REPLICAS = 2;
const MOST_DETAILS = 8;
/** Of streams that take four seconds. */
const SLOW_SHARE = 0.4;

/** Replaces the gateways behind one address by those of other versions, one after the other, under load. */
export async function runUpgrade({ seed, clients, versions, report }: UpgradePlan): Promise<UpgradeReport> {
  await using opened = new AsyncDisposableStack();
  const upstream = opened.use(await startMockUpstream());
  scriptTraffic(upstream);
  const replicas = opened.use(await openReplicas());
  const balancer = opened.use(await openBalancer());
  const { url } = balancer;
  const providerLines = createProviderConfig(upstream.baseUrl, {});
  const fleet = new Fleet({ upstream, balancer, replicas, providerLines });
  const [first, ...others] = versions;
  for (let number = 0; number < REPLICAS; number += 1)
    if (!(await fleet.add(first))) throw new Error(fleet.rejected[0]?.reason);
  const { adminKey, line } = fleet.oldest;
  const spender = new Spender({ seed, url, adminKey, projectId: line.project_id });
  const apiKey = await spender.createKey({ recurring_limit: { amount: '100000', period: 'day' } });
  const traffic = new Traffic({ seed, clients, slowShare: SLOW_SHARE, findTarget: () => ({ url, apiKey }) });
  await replaceUnderLoad({ traffic, spender, fleet }, others, report);
  await fleet.stop();
  await using books = await openBooks({ url: replicas.databaseUrl });
  const sightings = [...traffic.sightings, ...spender.sightings];
  const judged = await judge({ traffic, spender, fleet }, books);
  for (const line of judged.details.slice(0, MOST_DETAILS)) report(line);
  return {
    rejected: fleet.rejected,
    leastOpen: fleet.leastOpen,
    retired: fleet.stops.length,
    audit: await auditLedger(books.database, { truths: upstream.truths, sightings }),
    requests: sightings.length,
    ...judged,
    budgets: await spender.sumUp(books.database),
  };
}

interface Run {
  traffic: Traffic;
  spender: Spender;
  fleet: Fleet;
}

/** Versions that do not start are left out. */
async function replaceUnderLoad(
  { traffic, spender, fleet }: Run,
  versions: readonly Version[],
  report: UpgradePlan['report'],
): Promise<void> {
  const stop = new AbortController();
  const done = traffic.run(stop.signal);
  try {
    for (const version of versions)
      for (let number = 0; number < REPLICAS && (await fleet.add(version)); number += 1) {
        await spender.spendDuring(() => fleet.retireOldest());
        const { length } = traffic.sightings;
        report(`${version.name}: ${fleet.stops.length} gateways replaced, ${length} requests`);
      }
  } finally {
    stop.abort();
  }
  await done;
}

interface Judged {
  refused: number;
  cut: number;
  postponed: number;
  details: string[];
}

/** What became of requests that were not answered, and were not refused for a budget that is spent. */
async function judge(run: Run, books: Books): Promise<Judged> {
  const judged: Judged = { refused: 0, cut: 0, postponed: 0, details: [] };
  const waited = run.spender.sightings.filter(({ whole, status }) => !whole && status !== BUDGET_SPENT);
  for (const sighting of [...run.traffic.sightings.filter(({ whole }) => !whole), ...waited]) {
    const { requestId, status, startedAtMs, endedAtMs } = sighting;
    const row = await books.findRow(requestId);
    const stop = run.fleet.stops.findLast(({ atMs }) => atMs < endedAtMs);
    const isWaiting = row?.errorCode === 'shutting_down' && waited.includes(sighting);
    if (isWaiting) judged.postponed += 1; // a gateway that stops ends waits for money at once
    else if (status === 200) judged.cut += 1;
    else judged.refused += 1;
    judged.details.push(
      `  ${status} ${row?.errorCode ?? 'without a row'} after ${(endedAtMs - startedAtMs).toFixed(0)} ms, ` +
        `sent ${(startedAtMs - (stop?.atMs ?? 0)).toFixed(0)} ms after the stop of ${stop?.version.name ?? 'none'}`,
    );
  }
  return judged;
}
