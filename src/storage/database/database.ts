/** One statement with its values; a name makes it a prepared one. */
export interface Statement {
  text: string;
  values?: readonly unknown[];
  name?: string;
}

export interface QueryResult<Row> {
  rows: Row[];
  /** Rows that were given or changed. */
  rowCount: number;
}

/** What can be asked: the database at large, or one transaction on it. */
export interface Queryable {
  query<Row = Record<string, unknown>>(statement: Statement): Promise<QueryResult<Row>>;
}

/** A connection of one's own, outside the pool and without the pool's time limit on statements. */
export interface Session extends Queryable {
  /** Called once, when the connection ends for whatever reason. */
  onEnd(listener: () => void): void;
  close(): Promise<void>;
}

/** What listens for notifications until it is closed. */
export interface Subscription {
  close(): Promise<void>;
}

/**
 * A PostgreSQL. Failures to reach or use it are thrown as `store_unavailable`, errors in the SQL as the driver has them.
 * `int8` arrives as bigint, `numeric` as decimal text.
 */
export interface Database extends Queryable {
  /** Runs all or nothing; `run` is called again (at most three times in all) when the server asks for another try. */
  transaction<Value>(run: (client: Queryable) => Promise<Value>): Promise<Value>;
  /**
   * Calls `onNotify` for each notification on the channel, and `onReconnect` whenever some may have been missed.
   * The first connection must succeed; later ones are made anew for as long as it takes.
   */
  listen(
    channel: string,
    onNotify: (payload: string) => void,
    onReconnect: () => void,
  ): Promise<Subscription>;
  openSession(applicationName?: string): Promise<Session>;
  /** Resolves when a statement was really answered within the time. */
  ping(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}
