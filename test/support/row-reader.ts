import { setTimeout as sleep } from 'node:timers/promises';
import { type LogRow, createLogs } from '#logs';
import type { Database } from '#storage';
import type { InProcessGateway } from './in-process.ts';
import { patiently } from './patiently.ts';

const LATE_MS = 60_000;
const POLL_MS = 20;

type RowReader = Pick<InProcessGateway, 'getRow' | 'findRow' | 'waitForRow' | 'withoutTable'>;

/** Reads rows of the log past the gateway. */
export function createRowReader(database: Database): RowReader {
  const logs = createLogs({ database });
  /** On a busy machine the lock of a table may take longer than a statement has. */
  const rename = (from: string, to: string) =>
    patiently(() => database.query({ text: `ALTER TABLE ${from} RENAME TO ${to}` }));
  const findRow = (requestId: string) => patiently(() => logs.find(requestId, 'all')); // tests read many at once
  const idOf = (request: Response | string): string =>
    typeof request === 'string' ? request : (request.headers.get('x-request-id') ?? '');
  const getRow = async (request: Response | string): Promise<LogRow> => {
    const row = await findRow(idOf(request));
    if (!row) throw new Error(`the request ${idOf(request)} left no row`);
    return row;
  };
  return {
    findRow,
    getRow,
    waitForRow: async (request) => {
      for (let waitedMs = 0; waitedMs < LATE_MS; waitedMs += POLL_MS) {
        if (await findRow(idOf(request))) break;
        await sleep(POLL_MS);
      }
      return getRow(request);
    },
    withoutTable: async (table, work) => {
      const away: string[] = [];
      try {
        for (const name of [table].flat()) {
          await rename(name, `${name}_away`);
          away.push(name);
        }
        return await work();
      } finally {
        for (const name of away) await rename(`${name}_away`, name);
      }
    },
  };
}
