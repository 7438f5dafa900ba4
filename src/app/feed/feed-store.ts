import type { Database, Queryable, RecordOf } from '#storage';
import type { FeedFault, FeedState } from '#catalogue';
import { parseJson, toStorableText } from '#base';
import { column, defineRecord, epochMs, ifSet, moment } from '#storage';

const FEED = defineRecord({
  /** Absent until there is a good one. */
  sequence: ifSet(column<bigint>('sequence')),
  digest: ifSet(column<string>('digest')),
  publishedAt: ifSet(moment('published_at')),
  storedAt: ifSet(moment('stored_at')),
  /** A newer one that waits for the operator. */
  held: ifSet(
    column(
      `CASE WHEN held_sequence IS NOT NULL THEN jsonb_build_object('sequence', held_sequence::text,
        'digest', COALESCE(held_digest, ''), 'reason', COALESCE(held_reason, '')) END`,
      readHeld,
    ),
  ),
  /** When it was last fetched or brought, with success or without. */
  checkedAt: ifSet(moment('checked_at')),
  /** Why the last one was refused. */
  fault: ifSet(
    column<{ kind: FeedFault; message: string; since: number }>(
      `CASE WHEN fault IS NOT NULL AND fault_since IS NOT NULL THEN jsonb_build_object('kind', fault,
        'message', COALESCE(fault_message, ''), 'since', ${epochMs('fault_since')}) END`,
    ),
  ),
});

/** The stored state of a publisher's feeds. */
export type FeedRecord = RecordOf<typeof FEED>;

function readHeld(value: unknown): { sequence: bigint; digest: string; reason: string } {
  const held = value as { sequence: string; digest: string; reason: string };
  return { ...held, sequence: BigInt(held.sequence) };
}

/** A feed that becomes the last good one. */
interface GoodFeed {
  sequence: number;
  digest: string;
  publishedAt: number;
  state: FeedState;
}

/** How long a process may take to fetch a feed before another one does. */
const TURN = '2 minutes';

/** The feed of one key in the database: what all processes of an installation share. */
export class FeedStore {
  readonly #database: Database;
  readonly #keyId: string;

  constructor(database: Database, keyId: string) {
    this.#database = database;
    this.#keyId = keyId;
  }

  async read(client: Queryable = this.#database): Promise<FeedRecord | undefined> {
    const { rows } = await client.query<object>({
      text: `SELECT ${FEED.columns} FROM catalogue_feed WHERE key_id = $1`,
      values: [this.#keyId],
    });
    return rows[0] && FEED.read(rows[0]);
  }

  /** What all feeds so far add up to. */
  async readState(client: Queryable = this.#database): Promise<FeedState | undefined> {
    const { rows } = await client.query<{ state: string | null }>({
      text: 'SELECT state FROM catalogue_feed WHERE key_id = $1',
      values: [this.#keyId],
    });
    const text = rows[0]?.state ?? undefined;
    return text === undefined ? undefined : (parseJson(text) as unknown as FeedState);
  }

  /** The document of the feed that waits for the operator. */
  async readHeld(client: Queryable): Promise<string | undefined> {
    const { rows } = await client.query<{ document: string | null }>({
      text: 'SELECT held_document AS document FROM catalogue_feed WHERE key_id = $1',
      values: [this.#keyId],
    });
    return rows[0]?.document ?? undefined;
  }

  /** Whether it is time to fetch the feed; if so, this process does it. */
  async takeTurn(): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      text: `INSERT INTO catalogue_feed AS f (key_id, due_at) VALUES ($1, now() + interval '${TURN}')
        ON CONFLICT (key_id) DO UPDATE SET due_at = EXCLUDED.due_at WHERE f.due_at <= now()`,
      values: [this.#keyId],
    });
    return rowCount > 0;
  }

  async recordNextTurn(afterMs: number): Promise<void> {
    await this.#database.query({
      text: `UPDATE catalogue_feed SET due_at = now() + $2 * interval '1 millisecond' WHERE key_id = $1`,
      values: [this.#keyId, afterMs],
    });
  }

  /** Runs work while no other process can change the feed. */
  change<Result>(work: (client: Queryable) => Promise<Result>): Promise<Result> {
    return this.#database.transaction(async (client) => {
      await client.query({
        text: 'INSERT INTO catalogue_feed (key_id) VALUES ($1) ON CONFLICT (key_id) DO NOTHING',
        values: [this.#keyId],
      });
      await client.query({
        text: 'SELECT 1 FROM catalogue_feed WHERE key_id = $1 FOR UPDATE',
        values: [this.#keyId],
      });
      return await work(client);
    });
  }

  async recordChecked(client: Queryable): Promise<void> {
    await client.query({
      text: `UPDATE catalogue_feed SET checked_at = now(), fault = NULL, fault_message = NULL, fault_since = NULL
        WHERE key_id = $1`,
      values: [this.#keyId],
    });
  }

  /** Returns whether it is another fault than the last time. */
  async recordFault(kind: FeedFault, reason: string): Promise<boolean> {
    const message = toStorableText(reason); // it may quote text from another server
    return this.change(async (client) => {
      const known = (await this.read(client))?.fault;
      const isNew = known?.kind !== kind || known.message !== message;
      await client.query({
        text: `UPDATE catalogue_feed SET checked_at = now(), fault = $2, fault_message = $3,
            fault_since = COALESCE(fault_since, now()) WHERE key_id = $1`,
        values: [this.#keyId, kind, message],
      });
      return isNew;
    });
  }

  async keep(client: Queryable, { sequence, digest, publishedAt, state }: GoodFeed): Promise<void> {
    await client.query({
      text: `UPDATE catalogue_feed SET sequence = $2, digest = $3, published_at = to_timestamp($4::float8 / 1000),
          stored_at = now(), state = $5, held_sequence = NULL, held_digest = NULL, held_document = NULL, held_reason = NULL
        WHERE key_id = $1`,
      values: [this.#keyId, sequence, digest, publishedAt, JSON.stringify(state)],
    });
  }

  async hold(
    client: Queryable,
    held: { sequence: number; digest: string; document: string; reason: string },
  ) {
    await client.query({
      text: `UPDATE catalogue_feed SET held_sequence = $2, held_digest = $3, held_document = $4, held_reason = $5
        WHERE key_id = $1`,
      values: [this.#keyId, held.sequence, held.digest, held.document, held.reason],
    });
  }
}
