import type { Accounts } from '#accounts';
import type { Database } from '#storage';

interface BooksFilling {
  rows: number;
  /** Spread evenly up to now. */
  days?: number;
  organizations?: number;
  keysPerOrganization?: number;
  /** Rows of one statement. */
  batch?: number;
}

interface BooksPorts {
  accounts: Accounts;
  database: Database;
}

/**
 * Fills the database with settled requests: each has a log row, an entry, and its part in the meters of its key and its
 * organization, priced by one of four price versions of which two have a tier.
 */
export async function fillLedger({ accounts, database }: BooksPorts, filling: BooksFilling): Promise<void> {
  const { rows, days = 90, organizations = 5, keysPerOrganization = 5, batch = 50_000 } = filling;
  const session = await database.openSession();
  try {
    await session.query({ text: 'SET synchronous_commit = off' });
    await session.query({ text: PRICES });
    await session.query({
      text: `SELECT log_partition_make('request_log', 'started_at', m)
        FROM generate_series(log_month(now() - make_interval(days => $1)), now(), interval '1 month') AS m`,
      values: [days],
    });
    const keys = await createKeys(accounts, organizations, keysPerOrganization);
    for (let from = 0; from < rows; from += batch) {
      const values = [rows, days, from, Math.min(rows, from + batch) - 1, JSON.stringify(keys)];
      await session.query({ text: FILL, values });
    }
    await session.query({ text: USE });
    await session.query({ text: 'ANALYZE' });
  } finally {
    await session.close();
  }
}

interface CreatedKey {
  organization: string;
  project: string;
  key: string;
}

async function createKeys(
  { directory }: Accounts,
  organizations: number,
  each: number,
): Promise<CreatedKey[]> {
  const keys: CreatedKey[] = [];
  for (let n = 0; n < organizations; n += 1) {
    const organization = await directory.createOrganization(`organization ${n}`);
    const project = await directory.createProject({ organizationId: organization.id, name: 'default' });
    for (let k = 0; k < each; k += 1) {
      const { key } = await directory.createKey({ projectId: project.id, label: `key ${k}` });
      keys.push({ organization: organization.id, project: project.id, key: key.id });
    }
  }
  return keys;
}

/** Versions 0 and 1 have one price, 2 and 3 another beyond 100,000 input tokens. Amounts are pico-USD per token. */
const PRICES = `
  INSERT INTO price_version (version, price)
  SELECT 'version-' || n, jsonb_build_object('request', '0', 'parts', p.parts, 'tiers', CASE WHEN n < 2 THEN '[]'::jsonb ELSE
    jsonb_build_array(jsonb_build_object('aboveInputTokens', 100000, 'parts', p.parts || '{"inputUncached": "6000000"}')) END)
  FROM generate_series(0, 3) AS n
  CROSS JOIN LATERAL (SELECT jsonb_build_object(
    'inputUncached', (3000000 + n)::text, 'inputCacheRead', '300000', 'inputCacheWrite5m', '3750000', 'inputCacheWrite1h', '6000000',
    'inputAudio', '3000000', 'inputImage', '3000000', 'outputText', '15000000', 'outputReasoning', '15000000',
    'outputAudio', '15000000', 'outputImage', '15000000', 'webSearches', '10000000000') AS parts) AS p`;

const FILL = `
  WITH made AS MATERIALIZED (
    SELECT 'req_' || lpad(n::text, 10, '0') || left(md5(n::text), 16) AS id, k.value AS k, h,
      date_trunc('milliseconds', now() - make_interval(secs => ($1::bigint - n) * $2::float8 * 86400 / $1::bigint)) AS at,
      h % 90000 AS uncached, h % 50000 AS read, h % 500 AS write, h % 800 AS text, h % 300 AS reasoning, h % 4 AS version
    FROM generate_series($3::bigint, $4::bigint) AS n
    CROSS JOIN LATERAL (SELECT abs(hashint8(n)) AS h) AS hash
    CROSS JOIN LATERAL (SELECT $5::jsonb -> (h / 64 % jsonb_array_length($5::jsonb))::int AS value) AS k
  ), priced AS MATERIALIZED (
    SELECT made.*, (CASE WHEN version > 1 AND uncached + read + write > 100000 THEN 6000000 ELSE 3000000 + version END)::numeric * uncached
      + 300000::numeric * read + 3750000::numeric * write + 15000000::numeric * (text + reasoning) AS cost FROM made
  ), entered AS (
    INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider, created_at)
    SELECT p.id, 'usage', ARRAY[a.id, b.id], p.cost, p.cost, p.at FROM priced p
    JOIN meter a ON a.kind = 'key' AND a.subject_id = p.k ->> 'key'
    JOIN meter b ON b.kind = 'credits' AND b.subject_id = p.k ->> 'organization'
  )
  INSERT INTO request_log (request_id, organization_id, project_id, key_id, started_at, endpoint, format, stream, requested_model,
    model_id, provider_id, external_id, finish_reason, status, cached, estimated, input_uncached, input_cache_read,
    input_cache_write_5m, input_cache_write_1h, input_audio, output_text, output_reasoning, output_audio, web_searches,
    customer_cost, provider_cost, price_version, attempts, duration_ms, closed_at)
  SELECT id, k ->> 'organization', k ->> 'project', k ->> 'key', at, '/v1/messages', 'messages', true, 'model', 'model', 'provider',
    'external', 'completed', 200, false, false, uncached, read, write, 0, 0, text, reasoning, 0, 0, cost, cost,
    'version-' || version, '[{"providerId": "provider", "externalId": "external", "outcome": "answered", "durationMs": 900}]', 900, at
  FROM priced`;

const USE = `
  UPDATE meter m SET used = e.customer FROM (
    SELECT u.id, sum(customer) AS customer FROM ledger_entry, unnest(meter_ids) AS u (id) GROUP BY u.id
  ) AS e WHERE e.id = m.id`;
