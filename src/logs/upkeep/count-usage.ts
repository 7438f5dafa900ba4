import type { UpkeepTools } from './retention.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** An hour is counted this long after its end, because longer requests cause it to be counted again. */
const CLOSED_AFTER = '15 minutes';
const POLL_MS = 100;
const PATIENCE_MS = 30_000;

/** Counts hours that are over, and recounts those with new rows. Readers see the same sums before and after. */
export async function countUsage(tools: UpkeepTools): Promise<void> {
  const { session, signal } = tools;
  const { rows } = await session.query<{ id: string }>({
    text: 'SELECT usage_close(now() - $1::interval)::text AS id',
    values: [CLOSED_AFTER],
  });
  if (!(await waitForWriters(tools, rows[0]?.id ?? '0'))) return; // retried with the next pass
  for (let isMore = true; isMore && !signal.aborted;) {
    const counted = await session.query<{ more: boolean }>({ text: 'SELECT usage_count() AS more' });
    isMore = counted.rows[0]?.more === true;
  }
  await session.query({ text: 'SELECT usage_recount()' });
  for (let isMore = true; isMore && !signal.aborted;) {
    const counted = await session.query<{ more: boolean }>({ text: 'SELECT usage_count_back() AS more' });
    isMore = counted.rows[0]?.more === true;
  }
  await sumDays(tools);
}

/** Sums up the days of counted hours, one at a time. */
export async function sumDays({ session, signal }: UpkeepTools): Promise<void> {
  for (let isMore = true; isMore && !signal.aborted;) {
    const { rows } = await session.query<{ more: boolean }>({ text: 'SELECT usage_sum_days() AS more' });
    isMore = rows[0]?.more === true;
  }
}

/** Whether every transaction that may not have seen the close is over. */
async function waitForWriters({ session, signal }: UpkeepTools, id: string): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < PATIENCE_MS && !signal.aborted; waitedMs += POLL_MS) {
    const { rows } = await session.query<{ over: boolean }>({
      text: 'SELECT pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 AS over',
      values: [id],
    });
    if (rows[0]?.over === true) return true;
    await sleep(POLL_MS);
  }
  return false;
}
