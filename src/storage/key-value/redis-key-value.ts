import type { Log } from '#telemetry';
import type { KeyValue } from './key-value.ts';
import { createHash } from 'node:crypto';
import { systemClock } from '#base';
import { Redis } from 'ioredis';
import { createBreaker } from './breaker.ts';
import { withDeadline } from './deadline.ts';

interface RedisKeyValueOptions {
  url: string;
  log: Log;
  /** Separates this program's keys from others; `sluice:v1:` by default. */
  prefix?: string;
  /** How long a command may take before the caller continues without it; 20 ms by default. */
  commandTimeoutMs?: number;
}

const PREFIX = 'sluice:v1:';
const COMMAND_TIMEOUT_MS = 20;
const PING_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 2_000;
/** A connection that leaves a command unanswered for this long is closed. */
const SILENCE_TIMEOUT_MS = 5_000;
/** How often the log says that Redis refuses commands. */
const REPORT_EVERY_MS = 60_000;
/** A Redis that is down must not delay the start. */
const FIRST_CONNECT_MS = 500;
const MOST_RECONNECT_MS = 1_000;

/**
 * Redis or Valkey. Failures read as misses, and while it is down a call costs nothing. Opening waits briefly for the
 * first connection, and continues without one.
 */
export async function openRedisKeyValue({
  url,
  log,
  prefix = PREFIX,
  commandTimeoutMs = COMMAND_TIMEOUT_MS,
}: RedisKeyValueOptions): Promise<KeyValue> {
  const redis = createClient(url);
  const evaluate = createEvaluator(redis, prefix);
  // Each command reports its own failure, but only these errors explain why there is no connection, such as a wrong
  // password.
  let reason: string | undefined;
  redis.on('error', (error: Error) => (reason = error.message));
  redis.on('ready', () => (reason = undefined));
  const ping = async (): Promise<void> => {
    await withDeadline(redis.ping(), PING_TIMEOUT_MS).catch((cause: unknown) => {
      const why = redis.status === 'ready' ? undefined : (reason ?? 'no connection');
      throw why === undefined ? cause : new Error(why, { cause });
    });
  };
  const breaker = createBreaker({
    probe: ping,
    isAnswer: isRefusal,
    onChange: (isOpen) =>
      isOpen
        ? log.warn({ reason }, 'Redis does not answer; continuing without it')
        : log.info({}, 'Redis answers again'),
  });
  await withDeadline(redis.connect(), FIRST_CONNECT_MS).catch(() => breaker.open());
  const report = createReport(log);
  const run = <Value>(command: () => Promise<Value>): Promise<Value | undefined> =>
    breaker.run(async () => withDeadline(command(), commandTimeoutMs).catch(report));
  return {
    kind: 'redis',
    get: async (key) => (await run(() => redis.get(prefix + key))) ?? undefined,
    set: async (key, value, ttlMs) => {
      const wholeMs = Math.floor(ttlMs);
      if (wholeMs > 0) await run(() => redis.set(prefix + key, value, 'PX', wholeMs));
      else await run(() => redis.del(prefix + key));
    },
    evaluate: (script, keys, args) => run(() => evaluate(script, keys, args)),
    ping: async () => {
      await ping();
      // The client silently uses database 0 if it cannot select another.
      const { db = 0 } = redis.options;
      if (db !== 0) await withDeadline(redis.select(db), PING_TIMEOUT_MS);
      await withDeadline(redis.set(`${prefix}ping`, '', 'PX', PING_TIMEOUT_MS), PING_TIMEOUT_MS);
    },
    close: async () => {
      breaker.close();
      redis.disconnect();
    },
  };
}

/** Redis refuses the command: it is full, a replica or part of a cluster, or its user lacks the permission. */
const isRefusal = (error: unknown): error is Error => error instanceof Error && error.name === 'ReplyError';

/** Logs refusals, because to callers they are misses; passes every error on. */
function createReport(log: Log): (error: unknown) => never {
  let lastMs = -Infinity;
  return (error) => {
    const nowMs = systemClock.monotonicMs();
    if (isRefusal(error) && nowMs - lastMs >= REPORT_EVERY_MS) {
      lastMs = nowMs;
      log.warn({ reason: error.message }, 'Redis refuses commands; continuing without them');
    }
    throw error;
  };
}

function createClient(url: string): Redis {
  // Named, because inferring the type compares every command: seconds of each type check.
  return new Redis<'legacy'>(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    autoResendUnfulfilledCommands: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAlive: 10_000,
    socketTimeout: SILENCE_TIMEOUT_MS,
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), MOST_RECONNECT_MS),
  });
}

/**
 * Runs scripts by their digest, in the order of the calls: a script not yet used on this connection is sent as its
 * whole text, which Redis then caches.
 */
function createEvaluator(redis: Redis, prefix: string): NonNullable<KeyValue['evaluate']> {
  const known = new Map<string, string>();
  redis.on('ready', () => known.clear()); // it may be another Redis, or a restarted one
  return async (script, keys, args) => {
    const rest = [...keys.map((key) => prefix + key), ...args];
    const digest = known.get(script);
    if (digest === undefined) {
      known.set(script, createHash('sha1').update(script).digest('hex'));
      return redis.eval(script, keys.length, ...rest);
    }
    try {
      return await redis.evalsha(digest, keys.length, ...rest);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return redis.eval(script, keys.length, ...rest);
    }
  };
}
