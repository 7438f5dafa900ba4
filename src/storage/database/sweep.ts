import type { Database, Statement } from './database.ts';

const EVERY_MS = 3_600_000;

interface SweepOptions {
  database: Database;
  /** Deletes at most `batch` expired rows. */
  deletion(): Statement;
  /** Small enough to keep each statement short. */
  batch: number;
  onFault(error: unknown): void;
}

/** Deletes expired rows, at once and then every hour, a batch at a time. */
export function startSweep(options: SweepOptions): { stop(): Promise<void> } {
  let isStopped = false;
  let turn: Promise<void> = Promise.resolve();
  const run = (): void => {
    turn = turn.then(() => sweep(options, () => isStopped)).catch(options.onFault.bind(options));
  };
  run();
  const timer = setInterval(run, EVERY_MS).unref();
  return {
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await turn;
    },
  };
}

async function sweep({ database, deletion, batch }: SweepOptions, isStopped: () => boolean): Promise<void> {
  for (let deleted = batch; deleted >= batch && !isStopped();) {
    const { rowCount } = await database.query(deletion());
    deleted = rowCount;
  }
}
