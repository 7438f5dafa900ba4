import type pg from 'pg';
import type { ConnectionOptions } from './connection-options.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import driver from 'pg';
import { startDeadline } from '#base';
import { type Blocker, findBlockers } from './blockers.ts';
import { toClientConfig } from './connection-options.ts';
import { runStatement } from './run-statement.ts';

/** A driver's connection with members its types omit, such as the process id at the server. */
type Client = pg.ClientBase & { processID?: number | null; connection?: pg.Connection };

interface Suspect {
  /** The server was idle on this connection at the last probe. */
  wasAtRest: boolean;
}

interface WatchOptions {
  connection: ConnectionOptions;
  /** Called when a connection was found dead: others may be, too. */
  onLost(): void;
  /** Called once for each session of another program that blocks statements. */
  onBlocked(blocker: Blocker): void;
}

/** Statements answered sooner are not probed. */
const SUSPECT_MS = 500;
const LOOK_EVERY_MS = 100;
const LOOK_LIMIT_MS = 1_000;
const READ_STATES = 'SELECT pid, state, pg_backend_pid() AS self FROM pg_stat_activity WHERE pid = ANY($1)';

/**
 * Finds dead connections that were never closed, for example because a firewall dropped their state: while a statement
 * waits here, another connection reports that the server is idle on it. A statement the server works on may take its
 * time.
 */
export class ConnectionWatch {
  readonly #options: WatchOptions;
  readonly #suspects = new Map<Client, Suspect>();
  /** Reported since the last time when nothing was slow. */
  readonly #blockers = new Set<number>();
  #isLooking = false;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Runs one statement of a connection; it fails if the connection is found dead. */
  async guard<Value>(client: Client, run: () => Promise<Value>): Promise<Value> {
    const deadline = startDeadline(SUSPECT_MS, () => this.#suspect(client));
    try {
      return await run();
    } finally {
      deadline.stop();
      this.#suspects.delete(client);
    }
  }

  #suspect(client: Client): void {
    this.#suspects.set(client, { wasAtRest: false });
    if (!this.#isLooking) void this.#look();
  }

  /** Never throws. */
  async #look(): Promise<void> {
    this.#isLooking = true;
    let probe: pg.Client | undefined;
    while (this.#suspects.size > 0) {
      try {
        probe ??= await openProbe(this.#options.connection);
        await this.#judge(probe);
        await this.#reportBlockers(probe);
      } catch {
        void endProbe(probe); // the server cannot be queried: the state of its connections is unknown
        probe = undefined;
      }
      await sleep(LOOK_EVERY_MS, undefined, { ref: false });
    }
    this.#blockers.clear();
    this.#isLooking = false; // a new suspect starts a new round from here on, whatever happens to the probe
    await endProbe(probe);
  }

  async #judge(probe: pg.Client & { processID?: number | null }): Promise<void> {
    const asked = new Map(this.#suspects);
    const pids = [probe.processID, ...[...asked.keys()].map(({ processID }) => processID)];
    const { rows } = await probe.query<{ pid: number; state: string | null; self: number }>(READ_STATES, [
      pids,
    ]);
    // A connection pooler in between reports process ids of its own.
    if (rows[0]?.self !== probe.processID) return;
    const states = new Map(rows.map(({ pid, state }) => [pid, state]));
    for (const [client, suspect] of asked) {
      if (this.#suspects.get(client) !== suspect) continue; // answered meanwhile
      const isAtRest = /^idle/.test(states.get(client.processID ?? 0) ?? 'idle');
      // The answer may have been under way: the connection is dead if it has not arrived by the next probe.
      if (isAtRest && suspect.wasAtRest) this.#end(client);
      suspect.wasAtRest = isAtRest;
    }
  }

  async #reportBlockers(probe: pg.Client): Promise<void> {
    const found = await findBlockers({ query: (statement) => runStatement(probe, statement) });
    for (const blocker of found) {
      if (this.#blockers.has(blocker.pid)) continue;
      this.#blockers.add(blocker.pid);
      this.#options.onBlocked(blocker);
    }
  }

  #end(client: Client): void {
    this.#suspects.delete(client);
    endConnection(client);
    this.#options.onLost();
  }
}

/** Closes a connection without notifying the server. */
export function endConnection(client: Client): void {
  client.connection?.stream.destroy();
}

async function openProbe(connection: ConnectionOptions): Promise<pg.Client> {
  const config = { ...toClientConfig(connection, 'sluice watch'), query_timeout: LOOK_LIMIT_MS };
  const probe = new driver.Client(config);
  probe.on('error', () => undefined);
  try {
    await probe.connect();
    return probe;
  } catch (error) {
    endConnection(probe);
    throw error;
  }
}

async function endProbe(probe: pg.Client | undefined): Promise<void> {
  if (!probe) return;
  const force = setTimeout(() => endConnection(probe), LOOK_LIMIT_MS);
  await probe.end().catch(() => undefined);
  clearTimeout(force);
}
