import { renameSync, writeFileSync } from 'node:fs';

// Preloaded into a gateway with `--expose-gc --import`: on SIGUSR2 it collects garbage and reports the remaining
// memory.
const file = process.env['MEMORY_PROBE'];
if (file !== undefined) {
  process.on('SIGUSR2', () => {
    globalThis.gc?.();
    // Buffers are freed a little later.
    setTimeout(() => {
      globalThis.gc?.();
      writeFileSync(`${file}.part`, JSON.stringify(process.memoryUsage()));
      renameSync(`${file}.part`, file);
    }, 200);
  });
}
