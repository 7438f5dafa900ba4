import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts';
import { stopOrphanDatabase } from './orphan-database.ts';
import { type TemporaryFolder, createTemporaryFolder } from './temporary.ts';
import { createSeededRandom } from './seeded-random.ts';

/** One life of the gateway: how long it lived and what its load saw. */
export interface Life<Seen> {
  number: number;
  livedMs: number;
  seen: Seen;
}

export interface CrashPlan<Seen> {
  /** Decides every time of death; the same seed gives the same times. */
  seed: number;
  kills: number;
  /** A life ends between these after the start. */
  livesMs: readonly [number, number];
  options?: Omit<GatewayOptions, 'dataDir'>;
  /** Runs against a live gateway until the signal says it is dead; what it gives back is kept. */
  load: (gateway: Gateway, dead: AbortSignal) => Promise<Seen>;
}

/** Starts, loads and SIGKILLs the gateway again and again on one data directory. */
export class CrashDriver<Seen> implements AsyncDisposable {
  readonly #plan: CrashPlan<Seen>;
  readonly #folder: TemporaryFolder = createTemporaryFolder('sluice-crash-');
  #firstLine: Gateway['line'] | undefined;
  #current: Gateway | undefined;

  constructor(plan: CrashPlan<Seen>) {
    this.#plan = plan;
  }

  get dataDir(): string {
    return `${this.#folder.path}/data`;
  }

  /** Lives and dies `kills` times. */
  async run(): Promise<Life<Seen>[]> {
    const random = createSeededRandom(this.#plan.seed);
    const [shortest, longest] = this.#plan.livesMs;
    const lives: Life<Seen>[] = [];
    for (let number = 0; number < this.#plan.kills; number += 1) {
      const livesMs = shortest + random() * (longest - shortest);
      lives.push(await this.#live(number, livesMs));
    }
    return lives;
  }

  /** Starts the gateway on the same data directory once more; the keys of its first start are on its line. */
  async restart(): Promise<Gateway> {
    const gateway = await startGateway({ ...this.#plan.options, dataDir: this.dataDir });
    this.#firstLine ??= gateway.line;
    const { apiKey, adminKey } = this.#firstLine;
    Object.assign(gateway.line, { ...(apiKey && { apiKey }), ...(adminKey && { adminKey }) });
    this.#current = gateway;
    return gateway;
  }

  async #live(number: number, livesMs: number): Promise<Life<Seen>> {
    const gateway = await this.restart();
    const startedAt = performance.now();
    const dead = new AbortController();
    const seen = this.#plan.load(gateway, dead.signal);
    await new Promise((resolve) => setTimeout(resolve, livesMs));
    const livedMs = performance.now() - startedAt;
    await gateway.kill();
    await gateway[Symbol.asyncDispose]();
    dead.abort();
    return { number, livedMs, seen: await seen };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#current?.[Symbol.asyncDispose]();
    await stopOrphanDatabase(this.dataDir);
    this.#folder.remove();
  }
}
