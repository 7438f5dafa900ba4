import type { Log } from '#telemetry';
import type { KeyValue } from './key-value.ts';
import { Redis } from 'ioredis';
import { createBreaker } from './breaker.ts';
import { withDeadline } from './deadline.ts';

export interface RedisKeyValueOptions {
  url: string;
  log: Log;
  /** Parts the keys of this program from others'; `sluice:v1:` where none is given. */
  prefix?: string;
}

const PREFIX = 'sluice:v1:';
const COMMAND_TIMEOUT_MS = 20;
const PING_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 2_000;
/** A connection that leaves a command unanswered for so long is given up. */
const SILENCE_TIMEOUT_MS = 5_000;
/** A Redis that is down does not hold up the start. */
const FIRST_CONNECT_MS = 500;
const MOST_RECONNECT_MS = 1_000;

/**
 * Redis or Valkey. Its failures read as misses, and while it is down a call costs nothing. Opening waits a moment for the
 * first connection, and goes on without one.
 */
export async function openRedisKeyValue({
  url,
  log,
  prefix = PREFIX,
}: RedisKeyValueOptions): Promise<KeyValue> {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    autoResendUnfulfilledCommands: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAlive: 10_000,
    socketTimeout: SILENCE_TIMEOUT_MS,
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), MOST_RECONNECT_MS),
  });
  redis.on('error', () => undefined); // each command reports its own failure
  await withDeadline(redis.connect(), FIRST_CONNECT_MS).catch(() => undefined);
  const ping = async (): Promise<void> => {
    await withDeadline(redis.ping(), PING_TIMEOUT_MS);
  };
  const breaker = createBreaker({
    probe: ping,
    isAnswer: (error) => error instanceof Error && error.name === 'ReplyError', // out of memory, read-only
    onChange: (isOpen) =>
      isOpen
        ? log.warn({}, 'Redis does not answer; going on without it')
        : log.info({}, 'Redis answers again'),
  });
  const run = <Value>(command: () => Promise<Value>): Promise<Value | undefined> =>
    breaker.run(() => withDeadline(command(), COMMAND_TIMEOUT_MS));
  return {
    kind: 'redis',
    get: async (key) => (await run(() => redis.get(prefix + key))) ?? undefined,
    set: async (key, value, ttlMs) => {
      const wholeMs = Math.floor(ttlMs);
      if (wholeMs > 0) await run(() => redis.set(prefix + key, value, 'PX', wholeMs));
      else await run(() => redis.del(prefix + key));
    },
    delete: async (key) => {
      await run(() => redis.del(prefix + key));
    },
    ping,
    close: async () => {
      breaker.close();
      redis.disconnect();
    },
  };
}
