import type { RandomSource } from '#base';
import type { Database, Session } from '#storage';
import type { Log } from '#telemetry';
import type { DestinationPorts } from './destination.ts';
import type { ExportSettings } from './export-settings.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '#base';
import { GatewayError } from '#errors';
import { SettledFrontier } from '#logs';
import { EXPORT_LOCK, tryLock } from '#storage';
import { CursorStore } from './cursor-store.ts';
import { openDestination } from './open-destination.ts';
import { type ExportProgress, runExport } from './run-export.ts';

interface ExportsOptions extends DestinationPorts {
  database: Database;
  random: RandomSource;
  log: Log;
}

/** Exports of log rows to the configured destinations. */
export interface LogExports {
  /** The exports of this process, if it is the one that exports. */
  readonly progress: ReadonlyMap<string, ExportProgress>;
  /** Stores the cursors of new exports, so that rows count from now on, whenever a process starts to export them. */
  begin(settings: readonly ExportSettings[]): Promise<void>;
  /** Starts these exports instead of the current ones; those with the same name continue. */
  replace(settings: readonly ExportSettings[]): void;
  close(): Promise<void>;
}

const LOOK_EVERY_MS = 500;
/** How often a process that does not export tries to, and one that failed. */
const RETRY_EVERY_MS = 5_000;

/** Runs the exports on a connection of their own, in one of several processes at a time. */
export function createExports(options: ExportsOptions): LogExports {
  const progress = new Map<string, ExportProgress>();
  let stop = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let current = '[]';
  const halt = async (): Promise<void> => {
    stop.abort();
    await running;
    progress.clear();
  };
  return {
    progress,
    begin: async (settings) => {
      const cursors = new CursorStore(options.database);
      for (const one of settings) await cursors.open(one);
    },
    replace: (settings) => {
      const written = JSON.stringify(settings);
      if (written === current) return;
      current = written;
      const halted = halt();
      stop = new AbortController();
      const { signal } = stop;
      running = halted.then(() =>
        settings.length === 0 ? undefined : keepExporting(settings, { ...options, progress, signal }),
      );
    },
    close: halt,
  };
}

interface Running extends ExportsOptions {
  progress: Map<string, ExportProgress>;
  signal: AbortSignal;
}

async function keepExporting(settings: readonly ExportSettings[], running: Running): Promise<void> {
  const { log, progress, signal } = running;
  while (!signal.aborted) {
    try {
      await exportInTurn(settings, running);
    } catch (error) {
      const isReported = error instanceof GatewayError && error.code === 'store_unavailable';
      if (!isReported) log.error({ reason: reasonOf(error) }, 'exports');
    }
    progress.clear();
    await sleep(RETRY_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Exports, unless another process does. */
async function exportInTurn(settings: readonly ExportSettings[], running: Running): Promise<void> {
  const session = await running.database.openSession('sluice exports');
  try {
    if (await tryLock(session, EXPORT_LOCK)) await exportAll(settings, session, running);
  } finally {
    await session.close();
  }
}

/** Until the signal aborts or the connection, and with it the lock, is lost. */
async function exportAll(
  settings: readonly ExportSettings[],
  session: Session,
  { progress, signal, send, ...ports }: Running,
): Promise<void> {
  const lost = new AbortController();
  session.onEnd(() => lost.abort());
  const whole = AbortSignal.any([signal, lost.signal]);
  const frontier = new SettledFrontier();
  const watch = async (): Promise<void> => {
    while (!whole.aborted) {
      await frontier.advance(session);
      await sleep(LOOK_EVERY_MS, undefined, { signal: whole }).catch(() => undefined);
    }
  };
  const runs = settings.map((one) => {
    const own: ExportProgress = { type: one.type, waiting: 0, failures: 0 };
    progress.set(one.name, own);
    const destination = openDestination(one, {
      ...ports,
      send: (request) => send({ ...request, signal: whole }),
    });
    const cursors = new CursorStore(session);
    return runExport(one, {
      ...ports,
      client: session,
      cursors,
      frontier,
      destination,
      progress: own,
      signal: whole,
    });
  });
  const all = [watch(), ...runs].map((work) =>
    work.catch((error: unknown) => {
      lost.abort(); // one failure of the database ends all of them
      throw error;
    }),
  );
  const failed = (await Promise.allSettled(all)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
