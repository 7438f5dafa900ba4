import type { Database, Queryable, Session, Statement } from '#storage';

/**
 * A database whose changes are undone: all statements run in one transaction that is rolled back at the end. Those that
 * fail are undone alone, as outside of a transaction.
 */
export class UndoneDatabase implements AsyncDisposable {
  readonly database: Database;
  readonly #session: Session;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(session: Session, real: Database) {
    this.#session = session;
    const query: Database['query'] = (statement) => this.#inTurn((one) => one.query(statement));
    const transaction: Database['transaction'] = (run) => this.#inTurn(run);
    const listen: Database['listen'] = async () => ({ close: async () => undefined });
    this.database = { ...real, query, transaction, listen };
  }

  static async begin(session: Session, real: Database): Promise<UndoneDatabase> {
    await session.query({ text: 'BEGIN' });
    return new UndoneDatabase(session, real);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turn;
    await this.#session.query({ text: 'ROLLBACK' });
  }

  #inTurn<Value>(run: (client: Queryable) => Promise<Value>): Promise<Value> {
    const done = this.#turn.then(() => this.#runAlone(run));
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #runAlone<Value>(run: (client: Queryable) => Promise<Value>): Promise<Value> {
    const client: Queryable = { query: (statement: Statement) => this.#session.query(statement) };
    await this.#session.query({ text: 'SAVEPOINT step' });
    try {
      return await run(client);
    } catch (error) {
      await this.#session.query({ text: 'ROLLBACK TO step' });
      throw error;
    } finally {
      await this.#session.query({ text: 'RELEASE step' });
    }
  }
}
