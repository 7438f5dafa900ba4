import type { LogPart, LogUnit } from '../rows/log-row.ts';
import { type Tenants, within } from '../rows/log-filter.ts';
import { type Usage, createUsage } from '#canonical';
import { GatewayError } from '#errors';
import { IS_TEXT } from '../rows/is-text.ts';
import { type RunStatement, type ReaderPorts, reportInTime } from '../query-in-time.ts';
import { type RequestFilter, composeEqual } from '../rows/request-filters.ts';
import { USAGE_COLUMNS, type UsageColumn, readCounts } from '../rows/usage-columns.ts';

/** Whose bills can be selected. */
export const BILL_OWNERS = [
  'organizationId',
  'projectId',
  'keyId',
  'memberId',
  'clientName',
  'sessionId',
  'agentId',
  'endUserId',
] as const;
const FILTERS = [...BILL_OWNERS, 'model', 'providerId'] as const;

/** Selects bills of text generation, by the model that answered. Times are milliseconds since the Unix epoch. */
export interface BillFilter extends Pick<RequestFilter, (typeof FILTERS)[number]> {
  since?: number;
  until?: number;
}

/** Counts at which prices change, ascending: requests on both sides of one are never in the same group. */
export interface BillSteps {
  inputTokens: readonly number[];
  /** Of tokens that were read from a cache or written to it. */
  cachedTokens: readonly number[];
}

interface AnsweredBill {
  /** Empty if no model was reached. */
  modelId: string;
  providerId: string;
  usage: Usage;
  /** Pico-USD. */
  customer: bigint;
  provider: bigint;
}

/** Bills that are usage at the price of a model. */
export interface BillGroup extends AnsweredBill {
  requests: number;
  /** The fewest of a request. */
  inputTokens: number;
  cachedTokens: number;
  /** Of no usage: nothing was billed. */
  isEmpty: boolean;
}

/** A bill with units, or with parts of other prices. */
export interface SpecialBill extends AnsweredBill {
  units: readonly LogUnit[];
  parts: readonly LogPart[] | undefined;
}

export interface Bills {
  groups: BillGroup[];
  specials: SpecialBill[];
}

/** Selects billed requests: of an organization, without those on its own provider keys; or, for the operator, of all. */
export interface BilledRequests {
  filter: BillFilter;
  tenants: Tenants;
}

/** Prompts of a model at a provider. */
export interface LongPrompts {
  modelId: string;
  providerId: string;
  aboveInputTokens: number;
  /** Absent: of any length. */
  upToInputTokens?: number | undefined;
  /** Only bills that are usage at the price of the model (`BillGroup`). */
  isPlain: boolean;
}

/** Selects the requests with the longest prompts, of each of some models at a provider. */
interface LongRequests extends BilledRequests {
  of: readonly LongPrompts[];
  /** Of each. */
  limit: number;
}

/** What requests were billed for. Throws `invalid_request` if it takes too long. */
export interface BillReader {
  list(billed: BilledRequests, steps: BillSteps): Promise<Bills>;
  /** The ids of each, the longest first. */
  listLongest(asked: LongRequests): Promise<string[][]>;
}

const MOST_SPECIAL = 50_000;
const COUNTS = Object.values(USAGE_COLUMNS);
const INPUT = `input_uncached + input_cache_read + input_cache_write_5m + input_cache_write_1h + input_audio + input_image`;
const CACHED = 'input_cache_read + input_cache_write_5m + input_cache_write_1h';
/** A list of thresholds must not be empty. */
const NEVER = Number.MAX_SAFE_INTEGER;

export function createBillReader(ports: ReaderPorts): BillReader {
  return {
    list: (billed, steps) => reportInTime(ports, billed.tenants, (ask) => readBills(ask, billed, steps)),
    listLongest: (asked) => reportInTime(ports, asked.tenants, (ask) => readLongest(ask, asked)),
  };
}

async function readBills(ask: RunStatement, billed: BilledRequests, steps: BillSteps): Promise<Bills> {
  const values: unknown[] = [];
  const from = composeBilled(billed, values);
  const lists = [steps.inputTokens, steps.cachedTokens].map(
    (list) => `$${values.push([...list, NEVER])}::bigint[]`,
  );
  const groups = await ask<StoredGroup>({
    text: `SELECT model_id, provider_id, is_empty, min(input)::float8 AS input, min(cached_tokens)::float8 AS cached,
        count(*)::float8 AS requests, sum(customer_cost)::text AS customer_cost, sum(provider_cost)::text AS provider_cost,
        ${COUNTS.map((column) => `sum(${column})::text AS ${column}`).join(', ')}
      FROM (SELECT *, ${COUNTS.join(' + ')} = 0 AS is_empty, ${INPUT} AS input, ${CACHED} AS cached_tokens ${from}
        AND modifiers IS NULL AND units IS NULL) AS plain
      GROUP BY model_id, provider_id, is_empty, width_bucket(input, ${lists[0]}), width_bucket(cached_tokens, ${lists[1]})`,
    values,
  });
  const specials = await ask<StoredSpecial>({
    text: `SELECT model_id, provider_id, units, modifiers, customer_cost::text, provider_cost::text,
        ${COUNTS.map((column) => `${column}::text`).join(', ')} ${from}
        AND (modifiers IS NOT NULL OR units IS NOT NULL) LIMIT ${MOST_SPECIAL + 1}`,
    values: values.slice(0, -lists.length),
  });
  if (specials.length > MOST_SPECIAL) throw createTooMany();
  return { groups: groups.map(readGroup), specials: specials.map(readSpecial) };
}

/** Reads the rows once, however many lists there are. */
async function readLongest(ask: RunStatement, { of, limit, ...billed }: LongRequests): Promise<string[][]> {
  const values: unknown[] = [];
  const from = composeBilled(billed, values);
  const columns = [of.map((one) => one.modelId), of.map((one) => one.providerId)];
  const lists = columns.map((list) => `$${values.push(list)}::text[]`);
  const bounds = [
    of.map(({ aboveInputTokens }) => aboveInputTokens),
    of.map(({ upToInputTokens = NEVER }) => upToInputTokens),
  ].map((list) => `$${values.push(list)}::bigint[]`);
  const plain = `$${values.push(of.map(({ isPlain }) => isPlain))}::boolean[]`;
  const rows = await ask<{ at: number; id: string }>({
    text: `SELECT at, id FROM (
        SELECT asked.at::int4 AS at, request_id AS id,
          row_number() OVER (PARTITION BY asked.at ORDER BY input DESC, request_id) AS place
        FROM (SELECT request_id, model_id, provider_id, modifiers IS NULL AND units IS NULL AS is_plain, ${INPUT} AS input ${from}
          AND ${chooseCost(billed)} > 0) AS billed
        JOIN unnest(${[...lists, ...bounds, plain].join(', ')})
          WITH ORDINALITY AS asked (model_id, provider_id, above, up_to, plain, at) USING (model_id, provider_id)
        WHERE input > above AND input <= up_to AND (is_plain OR NOT plain)) AS ranked
      WHERE place <= $${values.push(limit)} ORDER BY at, place`,
    values,
  });
  const found = Map.groupBy(rows, ({ at }) => at - 1);
  return of.map((_, at) => (found.get(at) ?? []).map(({ id }) => id));
}

/** The column with what the asker paid. */
export const chooseCost = ({ tenants }: BilledRequests): string =>
  tenants === 'all' ? 'provider_cost' : 'customer_cost';

/** The rows, as a FROM and a WHERE clause. */
export function composeBilled({ filter: own, tenants }: BilledRequests, values: unknown[]): string {
  const filter = within(own, tenants);
  const { since = -Infinity, until = Infinity } = filter;
  return `FROM request_log WHERE started_at >= to_timestamp($${values.push(since)}::float8 / 1000)
    AND started_at < to_timestamp($${values.push(until)}::float8 / 1000)
    AND NOT request_log.cached AND ${IS_TEXT} ${composeEqual(filter, FILTERS, values)}
    ${tenants === 'all' ? '' : `AND credential IS DISTINCT FROM 'own'`}`;
}

interface StoredBill extends Record<UsageColumn, string> {
  model_id: string | null;
  provider_id: string | null;
  customer_cost: string;
  provider_cost: string;
}

interface StoredGroup extends StoredBill {
  is_empty: boolean;
  input: number;
  cached: number;
  requests: number;
}

interface StoredSpecial extends StoredBill {
  units: LogUnit[] | null;
  modifiers: LogPart[] | null;
}

const readAnswered = (row: StoredBill): AnsweredBill => ({
  modelId: row.model_id ?? '',
  providerId: row.provider_id ?? '',
  usage: createUsage(readCounts(row)),
  customer: BigInt(row.customer_cost),
  provider: BigInt(row.provider_cost),
});

const readGroup = (row: StoredGroup): BillGroup => ({
  ...readAnswered(row),
  requests: row.requests,
  inputTokens: row.input,
  cachedTokens: row.cached,
  isEmpty: row.is_empty,
});

const readSpecial = (row: StoredSpecial): SpecialBill => ({
  ...readAnswered(row),
  units: row.units ?? [],
  parts: row.modifiers ?? undefined,
});

function createTooMany(): GatewayError {
  const message = `more than ${MOST_SPECIAL} requests have prices of their own; narrow the time, or name a project, key or session`;
  return new GatewayError('invalid_request', message);
}
