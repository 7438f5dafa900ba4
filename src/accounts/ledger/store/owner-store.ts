import type { JsonValue, PicoUsd } from '#base';
import type { LedgerCalls } from './ledger-calls.ts';
import { encodeStorableJson } from './storable-json.ts';
import type { Subject } from '../../meters/subject.ts';

/** An owner whose heartbeat is older has crashed. */
const OWNER_GONE_AFTER = '30 seconds';

/**
 * If the database's clock was set back, dead owners must not count as running until it catches up; running ones renew
 * their heartbeat before that.
 */
const RECALL_OWNERS = `
  UPDATE owner SET heartbeat_at = clock_timestamp() WHERE heartbeat_at > clock_timestamp() + interval '5 seconds'`;

/** With open holds it stays, as one that has crashed: the sweep needs what their answers have cost. */
const DISOWN = `
  WITH left_open AS (
    UPDATE owner SET heartbeat_at = 'epoch' WHERE epoch = $1 AND EXISTS (SELECT FROM hold WHERE owner_epoch = $1)
  )
  DELETE FROM owner WHERE epoch = $1 AND NOT EXISTS (SELECT FROM hold WHERE owner_epoch = $1)`;

const FIND_GONE = `
  SELECT array_agg(e.epoch) AS value FROM unnest($1::text[]) AS e (epoch)
  WHERE $2 OR NOT EXISTS (
    SELECT FROM owner o WHERE o.epoch::text = e.epoch AND o.heartbeat_at > clock_timestamp() - $3::interval)`;

const FIND_KNOWN = `
  SELECT array_agg(request_id) AS value FROM (
    SELECT request_id FROM hold WHERE request_id = ANY ($1)
    UNION SELECT request_id FROM ledger_entry WHERE request_id = ANY ($1)
  ) AS known`;

/** The time since which another process has been asked, if it still is behind. */
const IS_BEHIND = `
  SELECT s.since::text AS value FROM COALESCE($4::timestamptz, clock_timestamp()) AS s (since)
  WHERE ledger_is_behind($1, $2, $3, s.since)`;

/** What processes ask each other: `return` with the name of some money, as `namesOf` gives it. */
type LeaseMessage = `return ${string}` | `returned ${string}` | 'report';

/**
 * The processes that own holds and leases: their heartbeats, their requests to each other, and the leftovers of crashed
 * ones.
 */
export class OwnerStore {
  readonly #calls: LedgerCalls;
  #note = '';

  constructor(calls: LedgerCalls) {
    this.#calls = calls;
  }

  /** Returns its epoch. */
  async create(note: string): Promise<string> {
    this.#note = note;
    this.#calls.epoch = await this.#calls.call(
      'own',
      'INSERT INTO owner (note) VALUES ($1) RETURNING epoch::text AS value',
      [note],
    );
    return this.#calls.epoch ?? '';
  }

  async remove(): Promise<void> {
    await this.#calls.call('disown', DISOWN, [this.#calls.epoch]);
  }

  async sendHeartbeat(): Promise<void> {
    await this.#calls.call('beat', "SELECT ledger_beat($1, $2, '{}') AS value", [
      this.#calls.epoch,
      this.#note,
    ]);
  }

  /** What open answers have cost so far, with the members of their rows that have changed. */
  async recordDelivered(delivered: object): Promise<void> {
    const values = [this.#calls.epoch, encodeStorableJson(delivered)];
    await this.#calls.call('note_delivered', 'UPDATE owner SET delivered = $2 WHERE epoch = $1', values);
  }

  /** Restores progress that its process could not send, for the sweep. The store may already have later figures. */
  async restoreProgress(encoded: JsonValue): Promise<void> {
    const text = 'SELECT ledger_restore_progress($1) AS value';
    await this.#calls.call('restore_progress', text, [encodeStorableJson(encoded)]);
  }

  async release(requestIds: readonly string[]): Promise<void> {
    await this.#calls.call('release', 'SELECT ledger_release($1, $2) AS value', [
      this.#calls.epoch,
      [...requestIds],
    ]);
  }

  /** Closes some of the holds whose owner has crashed; returns their number. */
  async sweep(exclusive: boolean): Promise<number> {
    const values = [this.#calls.epoch, exclusive, OWNER_GONE_AFTER];
    if (!exclusive) await this.#calls.call('recall', RECALL_OWNERS, []);
    return (
      (await this.#calls.call<number>(
        'sweep',
        'SELECT ledger_sweep($1, $2, $3::interval) AS value',
        values,
      )) ?? 0
    );
  }

  async sumLost(): Promise<PicoUsd> {
    const text =
      "SELECT COALESCE(sum(provider), 0)::text AS value FROM ledger_entry WHERE kind IN ('lost', 'found')";
    return BigInt((await this.#calls.call<string>('sum_lost', text, [])) ?? 0);
  }

  /** Ends the leases of processes whose journals have been written; of this process by default. */
  async returnLeases(epochs: readonly string[] = [this.#calls.epoch ?? '0']): Promise<void> {
    await this.#calls.call('return_leases', 'SELECT ledger_return_leases($1) AS value', [[...epochs]]);
  }

  /** Which of these processes are gone. */
  async findGone(epochs: readonly string[], exclusive: boolean): Promise<string[]> {
    const values = [[...epochs], exclusive, OWNER_GONE_AFTER];
    return (await this.#calls.call<string[] | null>('find_gone', FIND_GONE, values)) ?? [];
  }

  /** Which of these requests have a hold of their own or an entry. */
  async findKnown(requestIds: readonly string[]): Promise<string[]> {
    return (await this.#calls.call<string[] | null>('find_known', FIND_KNOWN, [[...requestIds]])) ?? [];
  }

  /** Sends a message about leases to all processes. */
  async notify(message: LeaseMessage): Promise<void> {
    await this.#calls.call('notify', "SELECT pg_notify('sluice_accounts', 'lease ' || $1)::text AS value", [
      message,
    ]);
  }

  /** Whether another process has reported nothing of a lease on this money since `since`; the database's time by default. */
  async isBehind(
    { keyId, organizationId }: Pick<Subject, 'keyId' | 'organizationId'>,
    since?: string,
  ): Promise<string | undefined> {
    const values = [this.#calls.epoch, keyId, organizationId, since];
    return (await this.#calls.call<string | null>('is_behind', IS_BEHIND, values)) ?? undefined;
  }
}
