import { LRUCache } from 'lru-cache';

export type Lru<Key extends string | number, Value extends NonNullable<unknown>> = LRUCache<Key, Value>;

interface LruOptions<Value> {
  /** Milliseconds until an entry is gone. */
  ttl?: number;
  ttlResolution?: number;
  /** Its clock. */
  perf?: { now(): number };
  updateAgeOnGet?: boolean;
  dispose?(value: Value): void;
}

/**
 * Keeps the entries that were used last. It grows with them, because the library's own `max` reserves all places at once: for
 * the caches of a process, 25 ms of every start and of every command.
 */
export function createLru<Key extends string | number, Value extends NonNullable<unknown>>(
  most: number,
  options: LruOptions<Value> = {},
): Lru<Key, Value> {
  return new LRUCache<Key, Value>({ maxSize: most, sizeCalculation: () => 1, ...options });
}
