import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '#errors';
import type { Database } from '#storage';

/** A real database behind a connection that fails on demand. */
export interface FaultyDatabase {
  database: Database;
  /**
   * `down`: nothing arrives. `silent`: statements run, but their answers are lost. `stuck`: they wait for another state.
   */
  state: 'up' | 'down' | 'silent' | 'stuck';
  /** Applies the state to this many statements, then the connection recovers. */
  faults: number;
}

const POLL_MS = 5;

export function createFaultyDatabase(real: Database): FaultyDatabase {
  const faulty: FaultyDatabase = { database: real, state: 'up', faults: Infinity };
  const fail = (): never => {
    throw new GatewayError('store_unavailable', 'the database is not available', { retryAfterSeconds: 2 });
  };
  const query = async (statement: Parameters<Database['query']>[0]) => {
    while (faulty.state === 'stuck') await sleep(POLL_MS);
    const { state } = faulty;
    if (state === 'up') return real.query(statement);
    faulty.faults -= 1;
    if (faulty.faults === 0) faulty.state = 'up';
    if (state === 'silent') await real.query(statement);
    return fail();
  };
  faulty.database = new Proxy(real, {
    get: (target, name) => {
      if (name === 'query') return query;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return faulty;
}
