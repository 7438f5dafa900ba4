import type { HttpServer } from '#http';
import type { Settings } from '../settings/settings.ts';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const SWEEP_MS = 50;

/**
 * Closes the port and lets open answers end, up to a limit. Whoever spreads requests over gateways goes on sending some until it
 * has seen that this one is not ready: the port stays open for that long.
 */
export async function drain(
  http: HttpServer,
  { readyDelayMs, drainMs }: Pick<Settings, 'readyDelayMs' | 'drainMs'>,
): Promise<void> {
  if (readyDelayMs > 0) await sleep(readyDelayMs);
  const { server } = http;
  const closed = once(server, 'close');
  server.close();
  http.closeIdleConnections();
  // A connection that is kept alive becomes idle when its answer ends, after the call above.
  const sweep = setInterval(() => http.closeIdleConnections(), SWEEP_MS);
  const limit = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(limit);
  await http.idle();
}
