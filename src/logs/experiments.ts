import { type Tenants, within } from './rows/log-filter.ts';
import { type ReaderPorts, queryInTime } from './query-in-time.ts';

/** Which requests are compared; times in milliseconds since the Unix epoch. */
interface ExperimentFilter {
  since: number;
  until?: number;
  projectId?: string;
}

/** What became of the requests of one variant. */
export interface ExperimentLine {
  experiment: string;
  variant: string;
  requests: number;
  /** Of these, with an answer. */
  answered: number;
  /** Calls of providers. */
  calls: number;
  /** Median and 95th percentile; null without a value. */
  first_event_ms: number | null;
  first_event_p95_ms: number | null;
  duration_ms: number | null;
  duration_p95_ms: number | null;
  input_tokens: number;
  output_tokens: number;
  /** Pico-USD. */
  customer: bigint;
  provider: bigint;
}

/** The requests of experiments by variant, and the copies of mirrors alongside their originals. */
export interface Experiments {
  /** Of an organization, copies are among its own only where its key pays for them. */
  list(filter: ExperimentFilter, tenants: Tenants): Promise<ExperimentLine[]>;
}

const PERCENTILE = (share: number, column: string): string =>
  `percentile_cont(${share}) WITHIN GROUP (ORDER BY ${column})`;

const LIST = `
  WITH own AS (
    SELECT * FROM request_log WHERE started_at >= to_timestamp($1::float8 / 1000)
      AND ($2::float8 IS NULL OR started_at < to_timestamp($2::float8 / 1000))
      AND ($3::text IS NULL OR organization_id = $3)
      AND ($4::text IS NULL OR project_id = $4 OR endpoint LIKE 'mirror/%')
  ), mirrored AS (
    SELECT copy, original
    FROM own AS copy LEFT JOIN request_log AS original ON original.request_id = copy.client_request_id
      AND ($3::text IS NULL OR original.organization_id = $3)
    WHERE copy.endpoint LIKE 'mirror/%' AND ($4::text IS NULL OR $4 IN (copy.project_id, original.project_id))
  )
  SELECT experiment, variant,
    count(*)::float8 AS requests,
    count(*) FILTER (WHERE finish_reason IN ('completed', 'length', 'tool_calls', 'content_filter'))::float8 AS answered,
    sum(jsonb_array_length(attempts))::float8 AS calls,
    ${PERCENTILE(0.5, 'first_event_ms')} AS first_event_ms, ${PERCENTILE(0.95, 'first_event_ms')} AS first_event_p95_ms,
    ${PERCENTILE(0.5, 'duration_ms')} AS duration_ms, ${PERCENTILE(0.95, 'duration_ms')} AS duration_p95_ms,
    sum(input_uncached + input_cache_read + input_cache_write_5m + input_cache_write_1h + input_audio + input_image)::float8
      AS input_tokens,
    sum(output_text + output_reasoning + output_audio + output_image)::float8 AS output_tokens,
    sum(customer_cost)::text AS customer, sum(provider_cost)::text AS provider
  FROM (
    SELECT split_part(attempts -> 0 ->> 'experiment', '/', 1) AS experiment,
      split_part(attempts -> 0 ->> 'experiment', '/', 2) AS variant, *
    FROM own WHERE attempts -> 0 ? 'experiment' AND ($4::text IS NULL OR project_id = $4)
    UNION ALL SELECT (copy).endpoint, 'copy', (copy).* FROM mirrored
    UNION ALL SELECT (copy).endpoint, 'original', (original).* FROM mirrored WHERE (original).request_id IS NOT NULL
  ) AS compared
  GROUP BY 1, 2 ORDER BY 1, 2`;

export function createExperiments(ports: ReaderPorts): Experiments {
  return {
    list: async (filter, tenants) => {
      const { since, until, organizationId, projectId } = within(filter, tenants);
      const values = [since, until ?? null, organizationId ?? null, projectId ?? null];
      type Row = Omit<ExperimentLine, 'customer' | 'provider'> & { customer: string; provider: string };
      const rows = await queryInTime<Row>(ports, tenants, { text: LIST, values });
      return rows.map((row) => ({ ...row, customer: BigInt(row.customer), provider: BigInt(row.provider) }));
    },
  };
}
