import { startDeadline } from '#base';
import type { Database } from '#storage';
import { STORE_LIMIT_MS, isStoreDown } from './store-fault.ts';

/** Fails while another session has locked a table, and on a full disk: it needs more space than open pages and segments have. */
const NEED_TABLES_AND_SPACE = `
  DO $$ BEGIN
    PERFORM set_config('lock_timeout', '1s', true);
    LOCK TABLE ONLY meter, ONLY hold, ONLY ledger_entry, ONLY request_log IN ROW EXCLUSIVE MODE;
    CREATE TEMPORARY TABLE ledger_space ON COMMIT DROP AS SELECT md5(n::text) AS filler FROM generate_series(1, 20000) AS n;
  END $$`;

/** Calls the SQL functions of the ledger for one process, and notes whether the database can write. */
export class LedgerCalls {
  readonly #database: Database;
  /** The owner of the holds; absent until the process is registered. */
  epoch: string | undefined;
  /** The last write failed because the server could not write, or takes too long. */
  #isDoubtful = false;

  constructor(database: Database) {
    this.#database = database;
  }

  async call<Value>(name: string, text: string, values: unknown[]): Promise<Value | undefined> {
    const statement = { name: `ledger_${name}`, text, values };
    const slow = startDeadline(STORE_LIMIT_MS, () => (this.#isDoubtful = true));
    try {
      const { rows } = await this.#database.query<{ value: Value }>(statement);
      return rows[0]?.value;
    } catch (error) {
      this.#isDoubtful ||= isStoreDown(error);
      throw error;
    } finally {
      slow.stop();
    }
  }

  /** Throws `store_unavailable` if the database answers but cannot write; checks only after a failed or slow write. */
  async checkWritable(): Promise<void> {
    if (!this.#isDoubtful) return;
    await this.#database.query({ text: NEED_TABLES_AND_SPACE }).catch((error: unknown) => {
      if (isStoreDown(error)) throw error; // a role that may not create temporary tables proves nothing
    });
    this.#isDoubtful = false;
  }
}
