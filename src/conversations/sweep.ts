import type { Database } from '#storage';

const EVERY_MS = 3_600_000;
/** Few enough that a statement is over soon. */
const BATCH = 500;

interface SweepOptions {
  database: Database;
  /** What is older is deleted. */
  oldest(): Date;
  onFault(error: unknown): void;
}

/** Deletes what is too old, at once and then every hour, a batch at a time. */
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

/** One pass. */
async function sweep({ database, oldest }: SweepOptions, isStopped: () => boolean): Promise<void> {
  for (let deleted = BATCH; deleted >= BATCH && !isStopped();) {
    const { rowCount } = await database.query({
      text: `DELETE FROM stored_response WHERE (project_id, id) IN
        (SELECT project_id, id FROM stored_response WHERE created_at <= $1 LIMIT ${BATCH})`,
      values: [oldest()],
    });
    deleted = rowCount;
  }
}
