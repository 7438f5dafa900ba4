import type { HttpServer } from '#http';
import type { ProcessMemory } from '#pipeline';
import type { Settings } from '../settings/settings.ts';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const SWEEP_MS = 50;
/** A connection idle for this long may be closed: its client is unlikely to be sending a request just then. */
const MOST_IDLE_MS = 5_000;
/** Where gateways share the port, the others would have answered a client that gets a reset. */
const SHARED_IDLE_MS = 1_000;

/**
 * Closes the port and lets open answers finish, up to a limit. Load balancers keep sending requests until they
 * notice that this gateway is not ready: the port stays open for that long. Answers whose clients have left have the
 * same limit; the rest of them is estimated. Copies for mirrors have it, too; no more are sent.
 */
export async function drain(
  http: HttpServer,
  { unattended, copies }: Pick<ProcessMemory, 'unattended' | 'copies'>,
  { readyDelayMs, drainMs, reusePort }: Pick<Settings, 'readyDelayMs' | 'drainMs' | 'reusePort'>,
): Promise<void> {
  if (readyDelayMs > 0) await sleep(readyDelayMs);
  copies.close();
  const { server } = http;
  const closed = once(server, 'close');
  http.stopListening();
  const idleMs = Math.min(Math.max(readyDelayMs, reusePort ? SHARED_IDLE_MS : 0), MOST_IDLE_MS);
  // After the reads of its turn: a connection whose request has arrived is not idle.
  const close = (): void => void setImmediate(() => http.closeIdle(idleMs));
  close();
  const sweep = setInterval(close, SWEEP_MS);
  const limit = setTimeout(() => {
    unattended.close(); // first, so that answers of clients disconnected here are not read to their end
    server.closeAllConnections();
    copies.cancel();
  }, drainMs);
  await closed;
  clearInterval(sweep);
  await http.idle();
  await copies.idle();
  clearTimeout(limit);
}
