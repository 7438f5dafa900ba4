import type { Clock } from '#base';
import type { Database } from '#storage';
import { isStorableId } from '#base';
import { startSweep } from '#storage';
import { BATCH, deleteExpired } from './sweep.ts';

/** Whose objects are meant: an organization's, or of those only what one holder of session tokens has made. */
export interface ObjectOwner {
  organizationId: string;
  holder?: string | undefined;
}

/** An account at a provider: the operator's, or that of an organization's own key. */
export interface Account {
  providerId: string;
  credentialId?: string | undefined;
}

/** Something that an answer has left in an account. */
export interface MadeObject {
  id: string;
  /** Milliseconds since the Unix epoch; absent where the provider tells none. */
  expiresAt?: number;
}

/** An object, and where it lies. */
export interface PlacedObject extends Account {
  id: string;
}

/** What lies in accounts at providers, and who has made it. No organization finds another's. */
export interface AccountObjects {
  /** Where objects lie; those that the owner has not made, or that are gone, are left out. */
  find(ids: readonly string[], owner: ObjectOwner): Promise<PlacedObject[]>;
  /** In one statement, whatever their number. */
  save(made: readonly MadeObject[], account: Account, owner: ObjectOwner): Promise<void>;
  /** Begins to forget what is gone. */
  start(): void;
  close(): Promise<void>;
}

interface AccountObjectsOptions {
  database: Database;
  clock: Clock;
  /** Told of faults in what runs besides requests. */
  onFault?(error: unknown): void;
}

const DAY_MS = 24 * 3_600_000;
/** A use prolongs what a provider keeps, and it does not tell of each. */
const GRACE_MS = DAY_MS;
/** How long an object is known whose end nobody tells. */
const UNTOLD_MS = 365 * DAY_MS;

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
      const made = all.filter(({ id }) => isStorableId(id));
      const ends = made.map(({ expiresAt }) => new Date(toEnd(expiresAt, clock.now())));
      await database.query({
        text: `INSERT INTO account_object (organization_id, holder, provider_id, credential_id, id, expires_at)
          SELECT $1, $2, $3, $4, made.id, max(made.expires_at)
          FROM unnest($5::text[], $6::timestamptz[]) AS made (id, expires_at) GROUP BY made.id ORDER BY made.id
          ON CONFLICT (organization_id, id, provider_id, credential_id, holder)
          DO UPDATE SET expires_at = greatest(account_object.expires_at, excluded.expires_at)`,
        values: [organizationId, holder, providerId, credentialId, made.map(({ id }) => id), ends],
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

/** An end beyond belief is none. */
function toEnd(expiresAt: number | undefined, now: number): number {
  const most = now + UNTOLD_MS;
  if (expiresAt === undefined || !(expiresAt + GRACE_MS < most)) return most;
  return Math.max(expiresAt, now) + GRACE_MS;
}
