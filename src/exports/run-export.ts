import type { RandomSource } from '#base';
import type { SettledFrontier } from '#logs';
import type { Queryable } from '#storage';
import type { Log } from '#telemetry';
import type { Cursor, CursorStore } from './cursor-store.ts';
import type { Batch, Destination } from './destination.ts';
import type { ExportSettings } from './export-settings.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { jitter, reasonOf, toStorableText } from '#base';
import { collectBatch } from './collect-batch.ts';

/** The state of one export in this process. */
export interface ExportProgress {
  type: string;
  /** Positions that are final and not delivered. */
  waiting: number;
  /** When the oldest undelivered row became final; absent if there is none. */
  oldestAt?: number;
  /** Attempts since the last success. */
  failures: number;
  lastError?: string;
}

interface RunPorts {
  client: Queryable;
  cursors: CursorStore;
  frontier: Pick<SettledFrontier, 'position'>;
  destination: Destination;
  progress: ExportProgress;
  random: RandomSource;
  log: Log;
  signal: AbortSignal;
}

const LOOK_EVERY_MS = 500;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;

/** Delivers batch after batch until the signal aborts, each until it is accepted. Throws errors of the database. */
export async function runExport(settings: ExportSettings, ports: RunPorts): Promise<void> {
  const { client, cursors, signal } = ports;
  const { name } = settings;
  let cursor = await cursors.open(settings);
  for (;;) {
    const wanted = await awaitRows(settings, cursor, ports);
    if (wanted === undefined) return;
    const { batch, through } = await collectBatch(client, settings, {
      after: cursor.position,
      through: wanted,
    });
    let { state } = cursor;
    if (batch.lines.length > 0) {
      await cursors.prepare(name, through);
      ports.progress.oldestAt = batch.firstAt;
      if (!(await deliver(settings, ports, async () => (state = await send(ports, batch, state))))) return;
    }
    await cursors.advance(name, { position: through, rows: batch.lines.length, state });
    cursor = { position: through, ...(state && { state }) };
    if (signal.aborted) return;
  }
}

async function send(
  { destination }: RunPorts,
  batch: Batch,
  state: Cursor['state'],
): Promise<Cursor['state']> {
  return (await destination.deliver(batch, state)) ?? state;
}

/** The end of the next batch; undefined if the signal aborts first. */
async function awaitRows(
  { batchRows, batchMs }: ExportSettings,
  { position, pendingThrough }: Cursor,
  { frontier, progress, signal }: RunPorts,
): Promise<bigint | undefined> {
  if (pendingThrough !== undefined) return pendingThrough;
  for (let waitedMs = 0; !signal.aborted;) {
    const waiting = Number(frontier.position - position);
    progress.waiting = Math.max(waiting, 0);
    if (waiting >= batchRows) return position + BigInt(batchRows);
    if (waiting > 0 && waitedMs >= batchMs) return frontier.position;
    if (waiting <= 0) delete progress.oldestAt;
    await pause(LOOK_EVERY_MS, signal);
    waitedMs = waiting > 0 ? waitedMs + LOOK_EVERY_MS : 0;
  }
  return undefined;
}

/** Tries until it succeeds; returns false if the signal aborts first. */
async function deliver(
  { name }: ExportSettings,
  { cursors, progress, random, log, signal }: RunPorts,
  attempt: () => Promise<unknown>,
): Promise<boolean> {
  let delayMs = FIRST_DELAY_MS;
  for (let isOver = signal.aborted; !isOver; isOver = await pause(jitter(delayMs, random), signal)) {
    try {
      await attempt();
      if (progress.failures > 0) log.info({ export: name }, 'the export works again');
      progress.failures = 0;
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      if (progress.failures > 0) delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
      const reason = toStorableText(reasonOf(error));
      progress.failures += 1;
      log.warn({ export: name, reason, failures: progress.failures }, 'an export failed');
      progress.lastError = reason;
      await cursors.recordFailure(name, reason);
    }
  }
  return false;
}

/** Waits; returns whether the signal has aborted. */
async function pause(timeMs: number, signal: AbortSignal): Promise<boolean> {
  await sleep(timeMs, undefined, { signal }).catch(() => undefined);
  return signal.aborted;
}
