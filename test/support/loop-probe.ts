import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const LOOK_EVERY_MS = 5;
const TELL_EVERY_MS = 100;

// Preloaded into a gateway with `--import`: records how long its event loop was blocked, by the clock and by its
// thread's processor time between two timers, which other processes do not lengthen; and its peak memory.
const file = process.env['LOOP_PROBE'];
if (file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS });
  delay.enable();
  let [before, heldMs, rss] = [0, 0, 0];
  setInterval(() => {
    const { user, system } = process.threadCpuUsage();
    const now = (user + system) / 1_000;
    heldMs = Math.max(heldMs, now - before);
    before = now;
  }, LOOK_EVERY_MS).unref();
  // The start does not count.
  process.on('SIGUSR2', () => {
    delay.reset();
    heldMs = 0;
  });
  setInterval(() => {
    rss = Math.max(rss, process.memoryUsage.rss());
    const [p99Ms, maxMs] = [delay.percentile(99) / 1e6, delay.max / 1e6];
    // A reader never finds half a file.
    writeFileSync(`${file}.part`, JSON.stringify({ p99Ms, maxMs, heldMs, rssMiB: rss / 1024 / 1024 }));
    renameSync(`${file}.part`, file);
  }, TELL_EVERY_MS).unref();
}
