import type { Database } from '#storage';

/** What became of the requests of one variant. */
export interface ExperimentLine {
  experiment: string;
  variant: string;
  requests: number;
  /** Of these, with an answer. */
  answered: number;
  /** Calls of providers. */
  calls: number;
  /** Medians; null without a value. */
  first_event_ms: number | null;
  duration_ms: number | null;
  output_tokens: number;
  /** Pico-USD. */
  customer: bigint;
  provider: bigint;
}

const LIST = `
  WITH copy AS (
    SELECT * FROM request_log WHERE started_at >= to_timestamp($1::float8 / 1000) AND endpoint LIKE 'mirror/%'
  )
  SELECT experiment, variant,
    count(*)::float8 AS requests,
    count(*) FILTER (WHERE finish_reason IN ('completed', 'length', 'tool_calls', 'content_filter'))::float8 AS answered,
    sum(jsonb_array_length(attempts))::float8 AS calls,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY first_event_ms) AS first_event_ms,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY duration_ms) AS duration_ms,
    sum(output_text + output_reasoning)::float8 AS output_tokens,
    sum(customer_cost)::text AS customer, sum(provider_cost)::text AS provider
  FROM (
    SELECT split_part(attempts -> 0 ->> 'experiment', '/', 1) AS experiment,
      split_part(attempts -> 0 ->> 'experiment', '/', 2) AS variant, *
    FROM request_log WHERE started_at >= to_timestamp($1::float8 / 1000) AND attempts -> 0 ? 'experiment'
    UNION ALL SELECT endpoint, 'copy', * FROM copy
    UNION ALL SELECT copy.endpoint, 'original', original.*
    FROM copy JOIN request_log AS original ON original.request_id = copy.client_request_id
  ) AS compared
  GROUP BY 1, 2 ORDER BY 1, 2`;

/** The requests of experiments that started since then, by variant, and the copies of mirrors beside their originals. */
export async function listExperiments(database: Database, since: number): Promise<ExperimentLine[]> {
  type Row = Omit<ExperimentLine, 'customer' | 'provider'> & { customer: string; provider: string };
  const { rows } = await database.query<Row>({ text: LIST, values: [since] });
  return rows.map((row) => ({
    ...row,
    customer: BigInt(row.customer),
    provider: BigInt(row.provider),
  }));
}
