import { type CrashPoint, EXACT_POINTS } from './crash-points.ts';
import { openCrashProgram } from './crash-program.ts';
import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts';
import { stopOrphanDatabase } from './orphan-database.ts';
import { createSeededRandom } from './seeded-random.ts';
import { type TemporaryFolder, createTemporaryFolder } from './temporary.ts';

/** How a run ends: after a time, or at the n-th pass of a named point. */
export type Death = { afterMs: number } | { at: CrashPoint; pass: number };

/** One run of the gateway: how long it lasted and what its load observed. */
export interface Life<Seen> {
  number: number;
  death: Death;
  /** From the start of the process to its first line. */
  startMs: number;
  livedMs: number;
  /** Whether it reached the point of its crash. */
  reached: boolean;
  seen: Seen | undefined;
}

interface CrashPlan<Seen> {
  options?: Omit<GatewayOptions, 'dataDir'>;
  /** Runs against a running gateway until the signal reports its crash; the result is kept. */
  load: (gateway: Gateway, dead: AbortSignal) => Promise<Seen>;
}

/** How long a run may take to reach its point. */
const PATIENCE_MS = 60_000;

/** Crashes at times decided by the seed. */
export function createDeaths(
  seed: number,
  kills: number,
  [shortest, longest]: readonly [number, number],
): Death[] {
  const random = createSeededRandom(seed);
  return Array.from({ length: kills }, () => ({ afterMs: shortest + random() * (longest - shortest) }));
}

/** Another gateway's crash may have stopped a shared PostgreSQL; then the start is retried. */
async function startWithDatabase(start: () => Promise<Gateway>): Promise<Gateway> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (!/database is unavailable/.test(String(error)) || performance.now() > deadlineMs) throw error;
    }
  }
}

/** Starts, loads and SIGKILLs the gateway again and again on one data directory. */
export class CrashDriver<Seen> implements AsyncDisposable {
  readonly #plan: CrashPlan<Seen>;
  readonly #folder: TemporaryFolder = createTemporaryFolder('sluice-crash-');
  #firstLine: Gateway['line'] | undefined;
  #current: Gateway | undefined;
  #lives = 0;

  constructor(plan: CrashPlan<Seen>) {
    this.#plan = plan;
  }

  get dataDir(): string {
    return `${this.#folder.path}/data`;
  }

  /** Starts and crashes as planned. */
  async run(deaths: readonly Death[]): Promise<Life<Seen>[]> {
    const lives: Life<Seen>[] = [];
    for (const death of deaths) lives.push(await this.live(death));
    return lives;
  }

  /** Starts the gateway again on the same data directory; only the first start prints the keys. */
  async restart(death?: Death): Promise<Gateway> {
    const { options } = this.#plan;
    const isNamed = death !== undefined && 'at' in death;
    const gateway = await startGateway({
      ...options,
      ...(isNamed && {
        ...(await openCrashProgram()),
        env: {
          ...options?.env,
          CRASH_AT: `${death.at}:${death.pass}`,
          ...(EXACT_POINTS.includes(death.at) && { SLUICE_LEASES: 'off' }),
        },
      }),
      dataDir: this.dataDir,
    });
    this.#firstLine ??= gateway.line;
    const { api_key: apiKey, admin_key: adminKey } = this.#firstLine;
    Object.assign(gateway.line, {
      ...(apiKey && { api_key: apiKey }),
      ...(adminKey && { admin_key: adminKey }),
    });
    this.#current = gateway;
    return gateway;
  }

  /** One run until its crash. */
  async live(death: Death): Promise<Life<Seen>> {
    const number = (this.#lives += 1);
    let startedAtMs = performance.now();
    const gateway = await startWithDatabase(() => {
      startedAtMs = performance.now();
      return this.restart(death);
    }).catch((error: unknown) => {
      if ('at' in death && /left with code null/.test(String(error))) return undefined; // it crashed at a point of its start
      throw error;
    });
    const startMs = performance.now() - startedAtMs;
    if (!gateway) return { number, death, startMs, livedMs: 0, reached: true, seen: undefined };
    const dead = new AbortController();
    const seen = this.#plan.load(gateway, dead.signal);
    await gateway.waitForExit('afterMs' in death ? death.afterMs : PATIENCE_MS);
    const reached = 'afterMs' in death || gateway.exited;
    const livedMs = performance.now() - startedAtMs - startMs;
    await gateway.kill();
    dead.abort();
    await gateway[Symbol.asyncDispose]();
    return { number, death, startMs, livedMs, reached, seen: await seen };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#current?.[Symbol.asyncDispose]();
    await stopOrphanDatabase(this.dataDir);
    this.#folder.remove();
  }
}
