import type { Database, Session } from '#storage';
import { UPKEEP_LOCK, tryLock } from '#storage';
import { closeMonths, summarizeBlocks } from './close-months.ts';
import { countUsage, sumDays } from './count-usage.ts';
import { type LogLimits, enforceLimits, preparePartitions } from './retention.ts';

interface LogUpkeepOptions {
  database: Database;
  limits: LogLimits;
  /** Called with errors, and if the log stays larger than its limit. */
  onFault(error: unknown): void;
}

/** The result of one pass. */
interface UpkeepReport {
  /** Another process holds the lock. */
  skipped: boolean;
  partitionsDropped: readonly string[];
  /** Indexes of months that are over. */
  indexesCreated: number;
}

const EVERY_MS = 60_000;
const STATEMENT_TIMEOUT = '10min';

/**
 * Maintains the log: creates partitions ahead of time, counts usage per hour, drops what is too old or too large, and
 * builds the indexes of months that are over. Runs at once, then every minute; only one of several processes at a time.
 */
export class LogUpkeep {
  readonly #options: LogUpkeepOptions;
  #limits: LogLimits;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> | undefined;
  #session: Session | undefined;
  readonly #stop = new AbortController();

  constructor(options: LogUpkeepOptions) {
    this.#options = options;
    this.#limits = options.limits;
  }

  start(): void {
    const run = (): void => {
      this.#turn ??= this.pass()
        .then(() => undefined)
        .catch((error: unknown) => {
          if (!this.#stop.signal.aborted) this.#options.onFault(error);
        })
        .finally(() => (this.#turn = undefined));
    };
    run();
    this.#timer = setInterval(run, EVERY_MS).unref();
  }

  /** Sets new limits from the next pass on. */
  limit(limits: LogLimits): void {
    this.#limits = limits;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.#session?.close();
    await this.#turn;
  }

  /** Runs all pending maintenance. */
  async pass(): Promise<UpkeepReport> {
    const session = await this.#options.database.openSession('sluice upkeep');
    this.#session = session;
    try {
      await session.query({ text: `SET statement_timeout = '${STATEMENT_TIMEOUT}'` });
      if (!(await tryLock(session, UPKEEP_LOCK)))
        return { skipped: true, partitionsDropped: [], indexesCreated: 0 };
      const tools = { session, signal: this.#stop.signal };
      await preparePartitions(tools);
      await countUsage(tools);
      const { dropped, excessBytes } = await enforceLimits(tools, this.#limits);
      if (dropped.length > 0) await sumDays(tools); // their hours are now in days
      if (excessBytes > 0) this.#options.onFault(createExcess(excessBytes));
      await summarizeBlocks(tools);
      const indexesCreated = await closeMonths(tools);
      return { skipped: false, partitionsDropped: dropped, indexesCreated };
    } finally {
      this.#session = undefined;
      await session.close();
    }
  }
}

function createExcess(bytes: number): Error {
  const megabytes = Math.ceil(bytes / 1024 ** 2);
  return new Error(
    `the log is ${megabytes} MiB larger than logs.maxSizeGb, and the current month is never dropped; raise the limit`,
  );
}
