import type { Database } from '#storage';

const EVERY_MS = 3_600_000;
/** Few enough that a statement is over soon. */
const BATCH = 1_000;

interface SweepOptions {
  database: Database;
  now(): Date;
  onFault(error: unknown): void;
}

/** Forgets what is gone at the providers, at once and then every hour, a batch at a time. */
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

async function sweep({ database, now }: SweepOptions, isStopped: () => boolean): Promise<void> {
  for (let forgotten = BATCH; forgotten >= BATCH && !isStopped();) {
    const { rowCount } = await database.query({
      text: `DELETE FROM account_object WHERE ctid IN
        (SELECT ctid FROM account_object WHERE expires_at <= $1 ORDER BY expires_at LIMIT ${BATCH})`,
      values: [now()],
    });
    forgotten = rowCount;
  }
}
