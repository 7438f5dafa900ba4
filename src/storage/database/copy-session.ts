import type { Readable } from 'node:stream';
import type { ConnectionOptions } from './connection-options.ts';
import type { Session } from './database.ts';
import { pipeline } from 'node:stream/promises';
import copyStreams from 'pg-copy-streams';
import { connectSession } from './session.ts';
import { toStoreError } from './store-error.ts';

/** A session that also moves whole tables, as the text format of COPY. */
export interface CopySession extends Session {
  /** The rows of `COPY … TO STDOUT`. To be read to its end before the next statement. */
  copyOut(text: string): Readable;
  /** Sends rows to `COPY … FROM STDIN`; returns their number. */
  copyIn(text: string, rows: AsyncIterable<Buffer>): Promise<number>;
}

/** Settings with which two servers print the same value identically. */
const ONE_SPELLING = `SET timezone = 'UTC'; SET datestyle = 'ISO'; SET intervalstyle = 'postgres'; SET bytea_output = 'hex';
  SET extra_float_digits = 1; SET client_encoding = 'UTF8'`;

/** Whole tables take longer than a request's statement may. */
const NO_LIMITS = `SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0`;

interface CopySessionOptions {
  /** The name of the session in the server. */
  applicationName: string;
  /** Cuts the connection at once; pending calls fail. */
  signal?: AbortSignal | undefined;
}

export async function openCopySession(
  connection: ConnectionOptions,
  { applicationName, signal }: CopySessionOptions,
): Promise<CopySession> {
  const { client, ...session } = await connectSession(connection, applicationName);
  const cut = (): unknown => client.connection.stream.destroy();
  signal?.addEventListener('abort', cut);
  if (signal?.aborted) cut();
  await session.query({ text: `${ONE_SPELLING}; ${NO_LIMITS}` });
  return {
    ...session,
    copyOut: (text) => client.query(copyStreams.to(text)),
    copyIn: async (text, rows) => {
      const target = client.query(copyStreams.from(text));
      try {
        await pipeline(rows, target);
      } catch (error) {
        throw toStoreError(error);
      }
      return target.rowCount;
    },
  };
}
