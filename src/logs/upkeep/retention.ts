import type { Session, Statement } from '#storage';
import { GatewayError } from '#errors';
import { setTimeout as sleep } from 'node:timers/promises';

/** Limits of the log. */
export interface LogLimits {
  maxAgeDays: number;
  /** Rows and payloads, including their indexes. */
  maxBytes: number;
}

/** A connection that holds the upkeep lock. */
export interface UpkeepTools {
  session: Session;
  signal: AbortSignal;
}

/** The result of enforcing the limits. */
interface Enforcement {
  dropped: string[];
  /** Size beyond the limit that cannot be dropped. */
  excessBytes: number;
}

interface Partition {
  name: string;
  ends_at: Date;
  bytes: bigint;
}

const MONTHS_AHEAD = 2;
/** How long a partition change waits for its lock, as writers queue behind it; then it lets them pass and retries. */
const LOCK_TIMEOUT = '50ms';
const TRIES = 40;
const PAUSE_MS = 100;
/** More than the size of an empty partition with its indexes. */
const LEAST_BYTES = 1024n ** 2n;

/** Creates the partitions of this month and the next, and those in which payloads may expire. */
export async function preparePartitions(tools: UpkeepTools): Promise<void> {
  const { rows } = await tools.session.query<{ parent: string; key: string; month: string }>({
    text: `SELECT p.parent, p.key, m.month::text
      FROM (VALUES ('request_log', 'started_at', interval '${MONTHS_AHEAD} months'),
        ('request_payload', 'expires_at', make_interval(days => (SELECT COALESCE(max(payload_days), 0) FROM project) + 1)))
        AS p (parent, key, ahead)
      CROSS JOIN LATERAL generate_series(log_month(now()), log_month(now() + p.ahead), interval '1 month') AS m (month)
      WHERE to_regclass(p.parent || to_char(m.month AT TIME ZONE 'UTC', '_YYYY_MM')) IS NULL`,
  });
  for (const { parent, key, month } of rows) {
    const text = 'SELECT log_partition_make($1, $2, $3)';
    await changePartitions(tools, { text, values: [parent, key, month] });
  }
}

/**
 * Drops data that is too old, then data beyond the size limit: payloads before rows, the oldest first, never the current
 * month.
 */
export async function enforceLimits(tools: UpkeepTools, limits: LogLimits): Promise<Enforcement> {
  const dropped: string[] = [];
  const { rows } = await tools.session.query<{ cutoff: string }>({
    text: `SELECT log_month(now() - make_interval(days => $1))::text AS cutoff`,
    values: [limits.maxAgeDays],
  });
  await dropPayloads(tools, { dropped, until: await readNow(tools) });
  await expireRows(tools, { dropped, cutoff: rows[0]?.cutoff ?? '-infinity' });
  let excess = (await readBytes(tools)) - BigInt(limits.maxBytes);
  for (const partition of await listPartitions(tools, 'request_payload')) {
    if (excess <= 0n || tools.signal.aborted) break;
    if (partition.bytes < LEAST_BYTES || !(await dropPayload(tools, partition.name))) continue;
    dropped.push(partition.name);
    excess -= partition.bytes;
  }
  const now = await readNow(tools);
  for (const partition of await listPartitions(tools, 'request_log')) {
    if (excess <= 0n || partition.ends_at > now || tools.signal.aborted) break;
    const before = dropped.length;
    await expireRows(tools, { dropped, cutoff: partition.ends_at.toISOString() });
    if (dropped.length > before) excess -= partition.bytes;
  }
  return { dropped, excessBytes: excess > 0n ? Number(excess) : 0 };
}

interface Expiry {
  dropped: string[];
  cutoff: string;
}

/** One month at a time, to keep each change short. */
async function expireRows(tools: UpkeepTools, { dropped, cutoff }: Expiry): Promise<void> {
  const end = new Date(cutoff);
  const old = (await listPartitions(tools, 'request_log')).filter(({ ends_at }) => ends_at <= end);
  for (const { name, ends_at } of old) {
    if (tools.signal.aborted) return;
    if (!(await expire(tools, ends_at.toISOString()))) return;
    dropped.push(name);
  }
  await expire(tools, cutoff); // rows outside every month's partition
  await tools.session.query({ text: 'SELECT usage_roll_up()' });
}

const expire = (tools: UpkeepTools, cutoff: string): Promise<boolean> =>
  changePartitions(tools, { text: 'SELECT request_log_expire($1) AS done', values: [cutoff] });

/** Expired payloads: whole months at once, the rest in batches. */
async function dropPayloads(
  tools: UpkeepTools,
  { dropped, until }: { dropped: string[]; until: Date },
): Promise<void> {
  for (const { name, ends_at } of await listPartitions(tools, 'request_payload')) {
    if (ends_at <= until && (await dropPayload(tools, name))) dropped.push(name);
  }
  for (let deleted = 1; deleted > 0 && !tools.signal.aborted;) {
    const { rowCount } = await tools.session.query({
      text: `DELETE FROM request_payload WHERE expires_at <= now() AND request_id = ANY (ARRAY(
        SELECT request_id FROM request_payload WHERE expires_at <= now() LIMIT 500))`,
    });
    deleted = rowCount;
  }
}

const dropPayload = (tools: UpkeepTools, name: string): Promise<boolean> =>
  changePartitions(tools, { text: 'SELECT request_payload_drop($1) AS done', values: [name] });

/** Runs a partition change without blocking writers; returns whether it was done. */
async function changePartitions({ session, signal }: UpkeepTools, statement: Statement): Promise<boolean> {
  await session.query({ text: `SET lock_timeout = '${LOCK_TIMEOUT}'` });
  try {
    for (let tries = 0; tries < TRIES && !signal.aborted; tries += 1) {
      const done = await tryChange(session, statement);
      if (done !== 'occupied') return done;
      await sleep(PAUSE_MS);
    }
    return false;
  } finally {
    await session.query({ text: 'SET lock_timeout = 0' });
  }
}

/** `occupied` if its lock was not free in time. */
export async function tryChange(session: Session, statement: Statement): Promise<boolean | 'occupied'> {
  try {
    const { rows } = await session.query<{ done?: boolean }>(statement);
    return rows[0]?.done !== false;
  } catch (error) {
    if (isOccupied(error)) return 'occupied';
    throw error;
  }
}

/** The lock was not available in time: SQLSTATE 55P03, or this side lost a deadlock. */
function isOccupied(error: unknown): boolean {
  const source: unknown = error instanceof GatewayError ? error.cause : error;
  return source instanceof Error && 'code' in source && (source.code === '55P03' || source.code === '40P01');
}

async function listPartitions({ session }: UpkeepTools, parent: string): Promise<Partition[]> {
  const { rows } = await session.query<Partition>({
    text: 'SELECT name, ends_at, bytes FROM log_partitions($1)',
    values: [parent],
  });
  return rows;
}

async function readBytes({ session }: UpkeepTools): Promise<bigint> {
  const { rows } = await session.query<{ bytes: bigint }>({
    text: `SELECT sum(pg_total_relation_size(inhrelid))::bigint AS bytes FROM pg_inherits
      WHERE inhparent IN ('request_log'::regclass, 'request_payload'::regclass)`,
  });
  return rows[0]?.bytes ?? 0n;
}

async function readNow({ session }: UpkeepTools): Promise<Date> {
  const { rows } = await session.query<{ now: Date }>({ text: 'SELECT now()' });
  return rows[0]?.now ?? new Date(0);
}
