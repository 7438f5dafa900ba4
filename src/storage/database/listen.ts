import type { Statement, Subscription } from './database.ts';
import type { ListeningSession } from './session.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createBackoff } from './backoff.ts';

interface ListenOptions {
  channel: string;
  onNotify(payload: string): void;
  onReconnect(): void;
  /** A lost connection cannot be reopened at once; called once for each loss. */
  onLost(error: unknown): void;
  connect(): Promise<ListeningSession>;
}

const CHECK_EVERY_MS = 1_000;
const CHECK_TIMEOUT_MS = 5_000;

/** Keeps one connection listening: reopens a lost one, and probes a silent one. */
export async function listen(options: ListenOptions): Promise<Subscription> {
  const stop = new AbortController();
  let session = await subscribe(options);
  let checking: Promise<void> | undefined;
  const check = setInterval(() => {
    checking ??= session.check(CHECK_TIMEOUT_MS).finally(() => (checking = undefined));
  }, CHECK_EVERY_MS).unref();

  const keep = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await new Promise<void>((resolve) => session.onEnd(resolve));
      const next = await resubscribe(options, stop.signal);
      if (next === undefined) return;
      session = next;
      options.onReconnect();
    }
  };
  const kept = keep();

  return {
    close: async () => {
      stop.abort();
      clearInterval(check);
      await session.close();
      await kept;
    },
  };
}

async function subscribe({ channel, onNotify, connect }: ListenOptions): Promise<ListeningSession> {
  const session = await connect();
  session.onNotification((from, payload) => {
    if (from === channel) onNotify(payload);
  });
  try {
    await session.query({
      text: `LISTEN ${pg.escapeIdentifier(channel)}`,
      query_timeout: CHECK_TIMEOUT_MS,
    } as Statement);
  } catch (error) {
    await session.close();
    throw error;
  }
  return session;
}

/** Retries until it succeeds; `undefined` once stopped. */
async function resubscribe(
  options: ListenOptions,
  signal: AbortSignal,
): Promise<ListeningSession | undefined> {
  const backoff = createBackoff({ firstMs: 50, mostMs: 2_000 });
  const isStopped = (): boolean => signal.aborted;
  for (let tries = 1; !isStopped(); tries += 1) {
    const session = await subscribe(options).catch((error: unknown) => {
      if (tries === 1 && !isStopped()) options.onLost(error);
    });
    if (session && !isStopped()) return session;
    await session?.close();
    await sleep(backoff.nextMs(), undefined, { signal, ref: false }).catch(() => undefined);
  }
  return undefined;
}
