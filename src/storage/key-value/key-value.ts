/**
 * Text kept for a limited time, shared by replicas if a Redis is configured. Optional, never authoritative: entries may
 * disappear at any moment, and a failing store reads as empty.
 */
export interface KeyValue {
  readonly kind: 'memory' | 'redis';
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, ttlMs: number): Promise<void>;
  /**
   * Runs a Lua script atomically on the shared store; `undefined` if the store failed. Absent for the in-process store.
   */
  readonly evaluate?: (
    script: string,
    keys: readonly string[],
    args: readonly (string | number)[],
  ) => Promise<unknown>;
  /** Resolves if the store really answered, and can be written to; the only call that reports a failure. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
