import { randomBytes } from 'node:crypto';
import { type Audit, auditLedger } from './audit.ts';
import { openBooks } from './books.ts';
import { CrashDriver, type Death, type Life } from './crash-driver.ts';
import { OUTAGE_POINTS } from './crash-points.ts';
import { type ExternalServer, killPostmaster, startExternalServer } from './external-server.ts';
import { type Gateway, createProviderConfig } from './gateway.ts';
import { type MockUpstream, startMockUpstream } from './mock-upstream.ts';
import { type Sighting, Traffic, scriptTraffic } from './traffic.ts';

/** Gateways that crash repeatedly under load, and an audit afterwards. */
interface KillPlan {
  seed: number;
  /**
   * How each gateway crashes, one list per gateway: a single one uses its own database, several share an external one.
   */
  deaths: readonly (readonly Death[])[];
  clients: number;
  report?(line: string): void;
}

export interface KillFigures {
  audit: Audit;
  kills: number;
  /** Named points that a run did not reach. */
  unreached: string[];
  /** From the start of a process to its first 200, sorted. */
  restartsMs: number[];
}

interface Seen {
  sightings: Sighting[];
  firstOkMs: number | undefined;
}

const REPORT_EVERY = 10;

export async function runKillPlan(plan: KillPlan): Promise<KillFigures> {
  await using upstream = await startMockUpstream();
  scriptTraffic(upstream);
  const isShared = plan.deaths.length > 1;
  await using server = isShared ? await startExternalServer() : undefined;
  const secret = randomBytes(32).toString('hex');
  await using stack = new AsyncDisposableStack();
  const lanes = plan.deaths.map(
    (deaths, number) => new Lane({ plan, number, deaths, upstream, server, secret }),
  );
  for (const lane of lanes) stack.use(lane);
  await lanes[0]?.prepare();
  const lives = (await Promise.all(lanes.map((lane) => lane.run()))).flat();
  if (server) await endOwners(server.url);
  for (const lane of lanes.slice(1)) await lane.restart();
  const audit = await lanes[0]!.audit(lives);
  return {
    audit,
    kills: lives.length,
    unreached: lives
      .filter(({ reached }) => !reached)
      .map(({ death }) => ('at' in death ? death.at : 'time')),
    restartsMs: lives
      .flatMap(({ startMs, seen }) => (seen?.firstOkMs === undefined ? [] : [startMs + seen.firstOkMs]))
      .sort((one, other) => one - other),
  };
}

/** All are gone for the next start, which closes what they left, in the database and in their journals. */
async function endOwners(url: string): Promise<void> {
  await using books = await openBooks({ url });
  await books.database.query({ text: `UPDATE owner SET heartbeat_at = '-infinity'` });
}

/** How long answers must have resumed before PostgreSQL is killed again: time to write what was journaled. */
const CALM_MS = 2_000;
/** An answer this soon after a kill may have got its hold before it. */
const ECHO_MS = 500;

/**
 * Kills PostgreSQL while an answer is in progress, so that there is something to settle; repeats if that was not
 * enough.
 */
class Outages {
  readonly #kill: () => void;
  #killedAtMs = -Infinity;
  #backAtMs = -Infinity;

  constructor(kill: () => void) {
    this.#kill = kill;
  }

  /** An answer has begun. */
  answered(): void {
    const nowMs = performance.now();
    if (nowMs - this.#killedAtMs < ECHO_MS) return;
    if (this.#backAtMs < this.#killedAtMs) this.#backAtMs = nowMs;
    if (nowMs - this.#backAtMs < CALM_MS) return;
    this.#killedAtMs = nowMs;
    this.#kill();
  }
}

interface LaneOptions {
  plan: KillPlan;
  number: number;
  deaths: readonly Death[];
  upstream: MockUpstream;
  server: ExternalServer | undefined;
  secret: string;
}

/** One gateway through all its runs. */
class Lane implements AsyncDisposable {
  readonly #options: LaneOptions;
  readonly #driver: CrashDriver<Seen>;
  static #apiKey = '';
  #death: Death | undefined;

  constructor(options: LaneOptions) {
    const { upstream, server, secret } = options;
    this.#options = options;
    this.#driver = new CrashDriver<Seen>({
      options: {
        config: createProviderConfig(upstream.baseUrl, {}),
        env: {
          SLUICE_LEASES: 'on',
          ...(server && { DATABASE_URL: server.url, SLUICE_SECRET: secret }),
        },
      },
      load: (gateway, dead) => this.#load(gateway, dead),
    });
  }

  /** The very first start, which creates the key: one with a limit that renews, far away. */
  async prepare(): Promise<void> {
    const gateway = await this.#driver.restart();
    const { apiKey } = await gateway.createKey('--label', 'kills', '--recurring', '100000/day');
    Lane.#apiKey = apiKey;
    await gateway.kill();
  }

  async run(): Promise<Life<Seen>[]> {
    const { deaths, number, plan } = this.#options;
    const lives: Life<Seen>[] = [];
    for (const death of deaths) {
      this.#death = death;
      lives.push(await this.#driver.live(death));
      if (lives.length % REPORT_EVERY === 0)
        plan.report?.(
          `gateway ${number + 1}: ${lives.length}/${deaths.length} kills, ${this.#options.upstream.truths.length} requests reached the provider`,
        );
    }
    return lives;
  }

  /** The last start, which replays the journal of the last crash. */
  async restart(): Promise<void> {
    const gateway = await this.#driver.restart();
    await gateway.stop();
  }

  /** Starts once more, which closes what the last crash left, and compares. */
  async audit(lives: readonly Life<Seen>[]): Promise<Audit> {
    const { server, upstream } = this.#options;
    const place = server ? { url: server.url } : this.#driver.dataDir;
    const gateway = await this.#driver.restart();
    await using books = await openBooks(place);
    const audit = await auditLedger(books.database, {
      truths: upstream.truths,
      sightings: lives.flatMap(({ seen }) => seen?.sightings ?? []),
      slowestStartMs: Math.max(...lives.map(({ startMs }) => startMs)),
    });
    await gateway.stop();
    return audit;
  }

  async #load(gateway: Gateway, dead: AbortSignal): Promise<Seen> {
    const { plan, number, server } = this.#options;
    const bornAtMs = performance.now();
    const target = { url: gateway.url, apiKey: Lane.#apiKey };
    const death = this.#death;
    const diesInOutage = death !== undefined && 'at' in death && OUTAGE_POINTS.includes(death.at);
    const outages = new Outages(() =>
      server ? server.kill('crash') : killPostmaster(gateway.dataDir, 'crash'),
    );
    const traffic = new Traffic({
      seed: plan.seed + number * 1_000_003 + Math.round(bornAtMs),
      clients: plan.clients,
      findTarget: () => target,
      ...(diesInOutage && { onAnswer: () => outages.answered() }),
    });
    const sightings = await traffic.run(dead, dead);
    const first = sightings.filter(({ status }) => status === 200).map(({ answeredAtMs }) => answeredAtMs);
    return { sightings, firstOkMs: first.length === 0 ? undefined : Math.min(...first) - bornAtMs };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#driver[Symbol.asyncDispose]();
  }
}
