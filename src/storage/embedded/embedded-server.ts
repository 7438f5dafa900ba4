import type { Log } from '#telemetry';
import type { SocketConnection } from '../database/connection-options.ts';
import { openSession } from '../database/session.ts';
import { prepareBinaries } from './binaries.ts';
import { type Installation, bringUp } from './bring-up.ts';
import { openCluster } from './cluster.ts';
import { isDirectoryTaken } from './directory-lock.ts';
import { findHome } from './home.ts';
import { boundLog } from './launch.ts';
import { isStillRunning } from './postmaster.ts';
import { openSocketFolder } from './socket-folder.ts';
import { stopServer } from './stop-server.ts';
import { supervise } from './supervise.ts';

/** The gateway's own PostgreSQL, restarted when it exits. It survives a gateway that is killed. */
export interface EmbeddedServer {
  connection: SocketConnection;
  /** Whether it was running before. */
  adopted: boolean;
  /** The directory of its cluster: the data directory, or another if its user cannot reach that. */
  location: string;
  /** Calls the listener each time the server is found to have exited, before it is restarted. */
  onExit(listener: () => void): void;
  /** Stops the supervision and the server, even one started elsewhere, unless another gateway uses it. */
  stop(): Promise<void>;
  /** Stops the supervision and leaves the server running. */
  leave(): Promise<void>;
}

export interface EmbeddedServerOptions {
  /** The gateway's data directory; created if missing. */
  directory: string;
  log: Log;
  /** Aborts a start in progress. */
  signal?: AbortSignal;
  /** PostgreSQL settings that override ours. */
  settings?: Readonly<Record<string, string>>;
  /** Whether an exited server is restarted; true by default. */
  isRestarted?: boolean;
}

/** Starts the server of a data directory, or adopts the running one. */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const { log, signal, isRestarted = true } = options;
  const installation = await install(options);
  const { cluster, dataDirectory, folder } = installation.home;
  if (folder !== dataDirectory) {
    log.info(
      { location: folder },
      'the server’s user cannot reach the data directory; the database is stored elsewhere',
    );
  }
  const { connection, adopted, pid } = await bringUp(installation, signal);
  const listeners: (() => void)[] = [];
  const endWatch = isRestarted
    ? watch({ installation, log, pid, folder: connection.host }, () => {
        for (const listener of listeners) listener();
      })
    : async () => undefined;
  return {
    connection,
    adopted,
    location: folder,
    onExit: (listener) => void listeners.push(listener),
    stop: async () => {
      await endWatch();
      if (!(await isUsedByAnother(connection))) await stopServer(cluster);
    },
    leave: endWatch,
  };
}

interface Watched {
  installation: Installation;
  log: Log;
  pid: number;
  /** The socket folder clients use; an adopted server may have another one from its environment. */
  folder: string;
}

function watch({ installation, log, pid, folder }: Watched, onExit: () => void): () => Promise<void> {
  const { home } = installation;
  const again = { ...installation, openSocketFolder: () => openSocketFolder(home, folder) };
  return supervise({
    pid,
    log,
    isRunning: (known) => isStillRunning(known, home.cluster),
    restart: (stop) => bringUp(again, stop),
    onExit,
    tidy: () => boundLog(home),
  });
}

async function install(options: EmbeddedServerOptions): Promise<Installation> {
  const { directory, log, signal, settings = {} } = options;
  const home = await findHome(directory, log);
  const binaries = await prepareBinaries(home);
  const password = await openCluster(home, binaries, signal);
  boundLog(home);
  return { home, binaries, password, settings, openSocketFolder: () => openSocketFolder(home) };
}

async function isUsedByAnother(connection: SocketConnection): Promise<boolean> {
  const session = await openSession(connection, 'sluice stop').catch(() => undefined);
  if (session === undefined) return false;
  try {
    return await isDirectoryTaken(session);
  } finally {
    await session.close();
  }
}
