import { setTimeout as sleep } from 'node:timers/promises';
import type { LogRow } from './log-row.ts';

/** One poll of recently closed rows. */
interface LogGlance {
  rows: LogRow[];
  /** The database's time of the poll, where the next one continues. */
  moment: string;
}

interface FollowOptions {
  /** Rows closed since a moment (now by default) or a little earlier, oldest first. */
  glance(since?: string): Promise<LogGlance>;
  signal: AbortSignal;
  intervalMs: number;
}

/**
 * Rows as they are written, each once. A row is dated before its transaction commits, so polls overlap; rows already
 * returned are skipped.
 */
export async function* followRows(options: FollowOptions): AsyncGenerator<LogRow> {
  const { signal } = options;
  let last = await options.glance();
  while (!signal.aborted) {
    await sleep(options.intervalMs, undefined, { signal }).catch(() => undefined);
    const given = new Set(last.rows.map((row) => row.requestId));
    last = await options.glance(last.moment);
    for (const row of last.rows) if (!given.has(row.requestId)) yield row;
  }
}
