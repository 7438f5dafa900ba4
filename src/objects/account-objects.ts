import type { Clock } from '#base';
import type { Database } from '#storage';
import { isStorableId } from '#base';
import { startSweep } from '#storage';
import { BATCH, deleteExpired } from './sweep.ts';

/** Owner of objects: an organization, or one holder of session tokens in it. */
export interface ObjectOwner {
  organizationId: string;
  holder?: string | undefined;
}

/** An account at a provider: the operator's only one or a named one, or that of an organization's own key. */
export interface Account {
  providerId: string;
  credentialId?: string | undefined;
}

/** An object that an answer left in an account. */
export interface CreatedObject {
  id: string;
  /** Milliseconds since the Unix epoch; absent if the provider reports none. */
  expiresAt?: number;
}

/** An object and its account. */
export interface PlacedObject extends Account {
  id: string;
}

/** Objects in accounts at providers, and the organizations that created them. Isolated by organization. */
export interface AccountObjects {
  /** Finds objects; those that the owner did not create, or that have expired, are omitted. */
  find(ids: readonly string[], owner: ObjectOwner): Promise<PlacedObject[]>;
  /** Saves any number of objects in one statement. */
  save(created: readonly CreatedObject[], account: Account, owner: ObjectOwner): Promise<void>;
  /** Starts deleting expired objects. */
  start(): void;
  close(): Promise<void>;
}

interface AccountObjectsOptions {
  database: Database;
  clock: Clock;
  /** Called with errors from background work. */
  onFault?(error: unknown): void;
}

const DAY_MS = 24 * 3_600_000;
/** Providers extend an object's life when it is used, but do not report each extension. */
const GRACE_MS = DAY_MS;
/** How long an object is kept if its expiry is unknown. */
const UNKNOWN_EXPIRY_MS = 365 * DAY_MS;

export function createAccountObjects({ database, clock, onFault }: AccountObjectsOptions): AccountObjects {
  let sweep: ReturnType<typeof startSweep> | undefined;
  const now = (): Date => new Date(clock.now());
  return {
    find: async (ids, { organizationId, holder }) => {
      const { rows } = await database.query<ObjectRow>({
        text: `SELECT id, provider_id, credential_id FROM account_object
          WHERE organization_id = $1 AND id = ANY($2) AND expires_at > $3 AND ($4::text IS NULL OR holder = $4)`,
        values: [organizationId, ids.filter(isStorableId), now(), holder ?? null],
      });
      return rows.map(toPlaced);
    },
    save: async (all, { providerId, credentialId = '' }, { organizationId, holder = '' }) => {
      const created = all.filter(({ id }) => isStorableId(id));
      const ends = created.map(({ expiresAt }) => new Date(toEnd(expiresAt, clock.now())));
      await database.query({
        text: `INSERT INTO account_object (organization_id, holder, provider_id, credential_id, id, expires_at)
          SELECT $1, $2, $3, $4, created.id, max(created.expires_at)
          FROM unnest($5::text[], $6::timestamptz[]) AS created (id, expires_at)
          GROUP BY created.id ORDER BY created.id
          ON CONFLICT (organization_id, id, provider_id, credential_id, holder)
          DO UPDATE SET expires_at = greatest(account_object.expires_at, excluded.expires_at)`,
        values: [organizationId, holder, providerId, credentialId, created.map(({ id }) => id), ends],
      });
    },
    start: () =>
      void (sweep ??= startSweep({
        database,
        deletion: () => deleteExpired(now()),
        batch: BATCH,
        onFault: (error) => onFault?.(error),
      })),
    close: async () => sweep?.stop(),
  };
}

interface ObjectRow {
  id: string;
  provider_id: string;
  credential_id: string;
}

function toPlaced({ id, provider_id: providerId, credential_id: credentialId }: ObjectRow): PlacedObject {
  return { id, providerId, ...(credentialId !== '' && { credentialId }) };
}

/** Caps an expiry that is unknown or implausibly late. */
function toEnd(expiresAt: number | undefined, now: number): number {
  const most = now + UNKNOWN_EXPIRY_MS;
  if (expiresAt === undefined || !(expiresAt + GRACE_MS < most)) return most;
  return Math.max(expiresAt, now) + GRACE_MS;
}
