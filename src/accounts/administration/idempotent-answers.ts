import { createParamError, GatewayError } from '#errors';
import type { Queryable } from '#storage';
import type { Seal } from '../secrets/seal-answer.ts';

/** A request that a client may send again: its `Idempotency-Key`, and the content sent under it. */
export interface Repeatable {
  key: string;
  /** Method, path and body. */
  request: readonly (string | Uint8Array)[];
}

interface AnswerKey extends Repeatable {
  actorId: string;
}

const LOCK = 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 7)) AS free';
const FIND = `
  SELECT fingerprint, sealed FROM idempotent_answer
  WHERE admin_key_id = $1 AND key = $2 AND created_at > now() - interval '24 hours'`;
const KEEP = `
  INSERT INTO idempotent_answer (admin_key_id, key, fingerprint, sealed) VALUES ($1, $2, $3, $4)
  ON CONFLICT (admin_key_id, key) DO UPDATE SET fingerprint = $3, sealed = $4, created_at = now()`;
/** Each new answer deletes some expired ones; rows that another transaction has locked are skipped. */
const SWEEP = `
  DELETE FROM idempotent_answer WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM idempotent_answer WHERE created_at <= now() - interval '24 hours'
    ORDER BY created_at LIMIT 100 FOR UPDATE SKIP LOCKED))`;

const LONGEST_KEY = 255;
const RETRY_AFTER_SECONDS = 1;

/** The answers given under idempotency keys, in the transaction that makes the change. */
export class IdempotentAnswers {
  readonly #client: Queryable;
  readonly #seal: Seal;

  constructor(client: Queryable, seal: Seal) {
    this.#client = client;
    this.#seal = seal;
  }

  /**
   * The stored response; undefined if the change must be carried out now. This transaction owns the key until it ends:
   * concurrent requests with the same key are refused instead of waiting.
   */
  async find(place: AnswerKey): Promise<string | undefined> {
    if (!/^[\x21-\x7e]+$/.test(place.key) || place.key.length > LONGEST_KEY) {
      throw createParamError('idempotency-key', `must be 1 to ${LONGEST_KEY} visible ASCII characters`);
    }
    const { rows: locks } = await this.#client.query<{ free: boolean }>({
      text: LOCK,
      values: [nameOf(place)],
    });
    if (locks[0]?.free !== true) {
      throw new GatewayError(
        'request_in_progress',
        'a request with this Idempotency-Key is in progress; send it again later to get its response',
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    }
    const { rows } = await this.#client.query<{ fingerprint: Buffer; sealed: Buffer }>({
      text: FIND,
      values: [place.actorId, place.key],
    });
    const [row] = rows;
    if (!row) return undefined;
    if (!this.#seal.fingerprint(place.request).equals(row.fingerprint)) {
      throw new GatewayError(
        'idempotency_key_reused',
        'this Idempotency-Key was used for another request; use a new key for a new request',
        { param: 'idempotency-key' },
      );
    }
    return this.#seal.open(nameOf(place), row.sealed);
  }

  async keep(place: AnswerKey, answer: string): Promise<void> {
    const { actorId, key, request } = place;
    const values = [actorId, key, this.#seal.fingerprint(request), this.#seal.seal(nameOf(place), answer)];
    await this.#client.query({ text: KEEP, values });
    await this.#client.query({ text: SWEEP });
  }
}

function nameOf({ actorId, key }: AnswerKey): string {
  return `${actorId} ${key}`;
}
