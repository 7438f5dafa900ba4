import type { Database } from '#storage';

interface LogFilling {
  rows: number;
  /** Spread evenly up to now. */
  days: number;
  /** Rows of one statement. */
  batch?: number;
  /** 20 by default. */
  organizations?: number;
  /** The share of the first organization, in percent; 50 by default. */
  share?: number;
}

const KEYS_PER_ORGANIZATION = 10;

/**
 * Fills the log with rows that look like a gateway's: organizations of which one has a share of all, ten keys each,
 * twelve models of which one is rare, sessions of forty requests, one ending in fifty unusual.
 */
export async function fillLog(database: Database, filling: LogFilling): Promise<void> {
  const { rows, days, batch = 50_000, organizations = 20, share = 50 } = filling;
  const session = await database.openSession();
  try {
    await session.query({ text: 'SET synchronous_commit = off' });
    await session.query({
      text: `INSERT INTO organization (id, name) SELECT 'org_' || n, 'org ' || n FROM generate_series(0, $1 - 1) AS n`,
      values: [organizations],
    });
    await session.query({
      text: `SELECT log_partition_make('request_log', 'started_at', m)
        FROM generate_series(log_month(now() - make_interval(days => $1)), now(), interval '1 month') AS m`,
      values: [days],
    });
    for (let from = 0; from < rows; from += batch) {
      const values = [rows, days, from, Math.min(rows, from + batch) - 1, organizations, share];
      await session.query({ text: INSERT, values });
    }
    await session.query({ text: 'VACUUM (ANALYZE) request_log' }); // summarizes blocks of rows, too
  } finally {
    await session.close();
  }
}

const INSERT = `
  INSERT INTO request_log
  SELECT 'req_' || lpad(n::text, 10, '0') || left(md5(n::text), 20), 'org_' || o, 'prj_' || o || '_' || k % 3,
    'key_' || o || '_' || k, date_trunc('milliseconds', now() - make_interval(secs => ($1::bigint - n) * $2::float8 * 86400 / $1::bigint)),
    '/v1/messages', 'messages', true, 'client-name-' || m, 'model-' || m, 'provider-' || m % 4, 'external-' || m,
    (ARRAY['completed', 'tool_calls', 'length', 'canceled', 'client_error', 'upstream_error'])[
      CASE WHEN h % 50 = 0 THEN 3 + h / 50 % 4 ELSE 1 + h % 2 END],
    200, NULL, CASE WHEN h % 50 = 0 THEN 'the provider answered late ' || h % 97 END, false, false,
    h % 9000, h % 50000, h % 500, 0, 0, h % 800, h % 300, 0, 0, h::bigint * 1000003, h::bigint * 1000003, 'price-' || m,
    jsonb_build_array(jsonb_build_object('providerId', 'provider-' || m % 4, 'externalId', 'external-' || m,
      'outcome', 'answered', 'status', 200, 'durationMs', h % 9000)),
    h % 900, h % 9000, NULL, 'claude-cli/2.' || h % 20 || '.0 (external, cli)',
    left(md5((n / 40)::text), 8) || '-4a5b-8c9d-' || left(md5(o::text || n / 40), 12), NULL, 'msg_' || h,
    now(), NULL, CASE WHEN k = 3 THEN 'mem_' || o END
  FROM generate_series($3::bigint, $4::bigint) AS n
  CROSS JOIN LATERAL (SELECT abs(hashint8(n)) AS h) AS hash
  CROSS JOIN LATERAL (SELECT CASE WHEN h % 100 < $6::int THEN 0 ELSE h / 100 % $5::int END AS o, h / 64 % ${KEYS_PER_ORGANIZATION} AS k,
    CASE WHEN h % 20011 = 0 THEN 11 ELSE h / 1024 % 11 END AS m) AS pick`;
