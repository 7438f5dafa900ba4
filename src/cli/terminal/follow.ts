import { setTimeout as sleep } from 'node:timers/promises';
import { watchLauncher } from '#app';
import { GatewayError } from '#errors';
import { remark } from './output.ts';

const EVERY_MS = 1_000;

/**
 * Looks every second, until the signal, the end of the reader of the output, or that of the `npx` that started this
 * process. While the gateway that runs the database is stopped it waits: its next start continues.
 */
export async function follow(signal: AbortSignal, look: () => Promise<void>): Promise<void> {
  const isOrphan = watchLauncher();
  const unread = new AbortController();
  const onUnread = (): void => unread.abort();
  process.stdout.once('error', onUnread);
  const ends = AbortSignal.any([signal, unread.signal]);
  try {
    for (let isDown = false; !ends.aborted && !(await isOrphan());) {
      isDown = await lookAgain(look, isDown);
      await sleep(EVERY_MS, undefined, { signal: ends }).catch(() => undefined);
    }
  } finally {
    process.stdout.off('error', onUnread);
  }
}

/** Whether the database is unavailable. */
async function lookAgain(look: () => Promise<void>, wasDown: boolean): Promise<boolean> {
  try {
    await look();
    if (wasDown) remark('the database is available again');
    return false;
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'store_unavailable') throw error;
    if (!wasDown)
      remark('the database is unavailable (has the gateway stopped?); waiting for it, Ctrl+C ends this');
    return true;
  }
}
