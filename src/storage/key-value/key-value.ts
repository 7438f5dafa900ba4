/**
 * Text kept for a while, shared by replicas where a Redis is configured. Optional, never the truth: what is asked for may
 * be gone at any moment, and a store that fails reads as empty.
 */
export interface KeyValue {
  readonly kind: 'memory' | 'redis';
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, ttlMs: number): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * Carries out a Lua script as one step on the shared store; nothing where the store failed. Absent where the store is
   * this process's own.
   */
  readonly evaluate?: (
    script: string,
    keys: readonly string[],
    args: readonly (string | number)[],
  ) => Promise<unknown>;
  /** Resolves when the store really answered; the one call that tells of a failure. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
