import { type LogRow, createLogs } from '#logs';
import { connectEmbedded, openDatabase } from '#storage';
import { silentLog } from '#telemetry';

/** The rows of a running gateway, read beside it: faster than a command per row. */
export interface Books extends AsyncDisposable {
  /** The row of a request; waits a moment for one that is still being written. */
  getRow(requestId: string): Promise<LogRow>;
  findRow(requestId: string): Promise<LogRow | undefined>;
}

const WAIT_MS = 3_000;
const POLL_MS = 20;

export async function openBooks(dataDir: string): Promise<Books> {
  const server = await connectEmbedded({ directory: dataDir, log: silentLog });
  const database = openDatabase({
    connection: server.connection,
    applicationName: 'books',
    maxConnections: 1,
  });
  const logs = createLogs({ database });
  const findRow = (requestId: string) => logs.findAsOperator(requestId);
  return {
    findRow,
    getRow: async (requestId) => {
      for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += POLL_MS) {
        const row = await findRow(requestId);
        if (row) return row;
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
      throw new Error(`the request ${requestId} left no row`);
    },
    [Symbol.asyncDispose]: async () => {
      await database.close();
      await server.stop();
    },
  };
}
