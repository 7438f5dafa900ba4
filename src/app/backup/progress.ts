import { systemClock } from '#base';

const EVERY_MS = 2_000;
const MEGABYTE = 2 ** 20;

/** Reports how much of a table has been copied, every two seconds. */
export function createProgress({
  onProgress,
}: {
  onProgress(line: string): void;
}): (table: string, bytes: number) => void {
  let lastMs = systemClock.monotonicMs();
  return (table, bytes) => {
    const nowMs = systemClock.monotonicMs();
    if (nowMs - lastMs < EVERY_MS) return;
    lastMs = nowMs;
    onProgress(`${table}: ${Math.round(bytes / MEGABYTE)} MB`);
  };
}
