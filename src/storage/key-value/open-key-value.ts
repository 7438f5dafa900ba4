import type { Clock } from '#base';
import type { Log } from '#telemetry';
import type { KeyValue } from './key-value.ts';
import { createMemoryKeyValue } from './memory-key-value.ts';

interface KeyValueOptions {
  clock: Clock;
  log: Log;
  /** A Redis or Valkey shared by replicas; without it the store is in-process. */
  redisUrl?: string;
}

/** Opens the shared store; the Redis client is loaded only where one is configured. */
export async function openKeyValue({ clock, log, redisUrl }: KeyValueOptions): Promise<KeyValue> {
  if (redisUrl === undefined) return createMemoryKeyValue({ clock });
  const { openRedisKeyValue } = await import('./redis-key-value.ts');
  return openRedisKeyValue({ url: redisUrl, log });
}
