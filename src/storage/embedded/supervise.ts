import type { Log } from '#telemetry';
import type { RunningServer } from './bring-up.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBackoff } from '../database/backoff.ts';

export interface SupervisionOptions {
  /** Whether the server runs. */
  isRunning(): boolean;
  restart(signal: AbortSignal): Promise<RunningServer>;
  /** Told each time the server is found gone. */
  onExit(): void;
  /** Called now and then while the server runs. */
  tidy(): void;
  log: Log;
}

const LOOK_EVERY_MS = 250;
const TIDY_EVERY_MS = 60_000;
/** Two starts are never closer than this. */
const RESTART_EVERY_MS = 1_000;
const MOST_PAUSE_MS = 10_000;

/** Watches a server and starts it again when it is gone, until the returned function is called and its work over. */
export function supervise(options: SupervisionOptions): () => Promise<void> {
  const stop = new AbortController();
  const watched = watch(options, stop.signal);
  return async () => {
    stop.abort();
    await watched;
  };
}

async function watch(options: SupervisionOptions, signal: AbortSignal): Promise<void> {
  let lastStartMs = -Infinity;
  let lastTidyMs = performance.now();
  for (;;) {
    await pause(LOOK_EVERY_MS, signal);
    if (signal.aborted) return;
    if (performance.now() - lastTidyMs > TIDY_EVERY_MS) {
      lastTidyMs = performance.now();
      options.tidy();
    }
    if (options.isRunning()) continue;
    options.onExit();
    await pause(lastStartMs + RESTART_EVERY_MS - performance.now(), signal);
    lastStartMs = performance.now();
    await restart(options, signal);
  }
}

/** Starts the server however often it takes. */
async function restart({ log, ...options }: SupervisionOptions, signal: AbortSignal): Promise<void> {
  log.warn({}, 'the embedded PostgreSQL is gone; starting it again');
  const backoff = createBackoff({ firstMs: 2 * RESTART_EVERY_MS, mostMs: MOST_PAUSE_MS });
  for (;;) {
    const problem = await options.restart(signal).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    if (signal.aborted) return;
    if (problem === undefined) break;
    log.error({ detail: problem }, 'the embedded PostgreSQL does not start; trying again');
    await pause(backoff.nextMs(), signal);
  }
  log.info({}, 'the embedded PostgreSQL is back');
}

/** Never keeps the process alive, never throws. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
