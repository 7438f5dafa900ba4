/** One statement with its values; a name makes it a prepared statement. */
export interface Statement {
  text: string;
  values?: readonly unknown[];
  name?: string;
}

export interface QueryResult<Row> {
  rows: Row[];
  /** Rows returned or changed. */
  rowCount: number;
}

/** Runs queries: the database, or one transaction on it. */
export interface Queryable {
  query<Row = Record<string, unknown>>(statement: Statement): Promise<QueryResult<Row>>;
}

/** A dedicated connection, outside the pool and without the pool's statement timeout. */
export interface Session extends Queryable {
  /** Called once, when the connection ends for any reason. */
  onEnd(listener: () => void): void;
  close(): Promise<void>;
}

/** A subscription to notifications until it is closed. */
export interface Subscription {
  close(): Promise<void>;
}

/**
 * A PostgreSQL. Failures to reach or use it are thrown as `store_unavailable`, SQL errors as the driver's. `int8` is a
 * bigint, `numeric` decimal text.
 */
export interface Database extends Queryable {
  /** Runs a transaction; `run` is called up to three times if the server reports a conflict. */
  transaction<Value>(run: (client: Queryable) => Promise<Value>): Promise<Value>;
  /**
   * Calls `onNotify` for each notification on the channel, and `onReconnect` whenever some may have been missed. The
   * first connection must succeed; lost ones are reopened indefinitely.
   */
  listen(
    channel: string,
    onNotify: (payload: string) => void,
    onReconnect: () => void,
  ): Promise<Subscription>;
  openSession(applicationName?: string): Promise<Session>;
  /** Connections of the pool, and statements that wait for one. */
  readonly connections: { open: number; idle: number; waiting: number };
  /** Resolves if a statement was answered in time. */
  ping(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}
