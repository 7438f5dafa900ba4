import type { Clock } from '#base';
import type { KeyValue } from './key-value.ts';
import { LRUCache } from 'lru-cache';

interface MemoryKeyValueOptions {
  clock: Clock;
  /** 64 MiB by default; the least recently used entries are evicted first. */
  maxBytes?: number;
}

const MAX_BYTES = 64 * 1024 * 1024;
const ENTRY_BYTES = 256;

export function createMemoryKeyValue({ clock, maxBytes = MAX_BYTES }: MemoryKeyValueOptions): KeyValue {
  const entries = new LRUCache<string, string>({
    maxSize: maxBytes,
    // A string takes two bytes per character at most.
    sizeCalculation: (value, key) => 2 * (value.length + key.length) + ENTRY_BYTES,
    // The cache treats a start of 0 as "never expires".
    perf: { now: () => clock.monotonicMs() + 1 },
    ttlResolution: 0,
  });
  return {
    kind: 'memory',
    get: async (key) => entries.get(key),
    set: async (key, value, ttlMs) => {
      if (ttlMs > 0) entries.set(key, value, { ttl: ttlMs });
      else entries.delete(key);
    },
    ping: async () => undefined,
    close: async () => entries.clear(),
  };
}
