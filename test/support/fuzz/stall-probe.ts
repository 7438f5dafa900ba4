import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';

/** The header that numbers a request. */
const NUMBER = 'x-fuzz-number';
const LOOK_EVERY_MS = 20;

// Preloaded into a gateway with `--import`: notes each time its event loop was held for long, by the processor time of its
// thread between two timers, which other processes do not lengthen, and the requests that were open then.
const [file, mostMs] = [process.env['STALL_PROBE'], Number(process.env['STALL_MS'])];
if (file !== undefined) {
  const open = new Set<string>();
  const readMs = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  // Those that were answered since the last look may have been what took so long. Before the first request is the start.
  let [before, seen] = [0, new Set<string>()];
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: NodeJS.EventEmitter };
    const number = request.headers[NUMBER];
    if (typeof number !== 'string') return;
    before ||= readMs();
    open.add(number);
    seen.add(number);
    response.once('close', () => open.delete(number));
  });
  setInterval(() => {
    if (before === 0) return;
    const now = readMs();
    const heldMs = now - before;
    const numbers = [...seen];
    [before, seen] = [now, new Set(open)];
    if (heldMs > mostMs) appendFileSync(file, `${JSON.stringify({ heldMs, numbers })}\n`);
  }, LOOK_EVERY_MS).unref();
}
