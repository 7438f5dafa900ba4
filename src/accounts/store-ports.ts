import type { Queryable } from '#storage';
import type { Sealer } from './secrets/sealer.ts';
import type { DigestKey } from './secrets/key-digest.ts';
import type { WindowClock } from './meters/window-clock.ts';

/** What a store is opened on: the database, or one transaction. */
export interface StorePorts {
  database: Queryable;
  digest: DigestKey;
  sealer: Sealer;
  windowClock: WindowClock | undefined;
  /** Called after this process has changed data that a snapshot may hold. */
  onChange(change: string): void;
}
