import type { Queryable } from './database.ts';

/** A session of another program that holds locks which statements of gateways wait for. */
export interface Blocker {
  pid: number;
  /** What PostgreSQL shows of it to this role, such as `psql, idle in transaction`. */
  description: string;
  /** How long the oldest of the statements has waited. */
  seconds: number;
}

/** Locks that are held for less are part of normal work. */
const READ_BLOCKERS = `
  SELECT b.pid, concat_ws(', ', NULLIF(b.application_name, ''), b.state) AS description,
    extract(epoch FROM max(clock_timestamp() - w.query_start))::integer AS seconds
  FROM pg_stat_activity w CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) AS u (pid) JOIN pg_stat_activity b ON b.pid = u.pid
  WHERE w.datname = current_database() AND w.wait_event_type = 'Lock' AND w.application_name LIKE 'sluice%'
    AND b.application_name NOT LIKE 'sluice%' AND w.query_start < clock_timestamp() - interval '1 second'
  GROUP BY 1, 2 ORDER BY 1`;

/** Sessions of other programs, such as an operator's, that keep gateways of this database waiting. */
export async function findBlockers(client: Queryable): Promise<Blocker[]> {
  const { rows } = await client.query<Blocker>({ text: READ_BLOCKERS });
  return rows;
}
