import type { PicoUsd } from '#base';
import type { LogAttempt, LogPart, LogUnit } from '../rows/log-row.ts';
import { type Usage, createUsage } from '#canonical';
import { GatewayError } from '#errors';
import { IS_TEXT } from '../rows/is-text.ts';
import { type RunStatement, type ReaderPorts, reportInTime } from '../query-in-time.ts';
import { USAGE_COLUMNS, type UsageColumn, readCounts } from '../rows/usage-columns.ts';

/** The answers of one provider to the gateway's own credentials. Times are milliseconds since the Unix epoch. */
interface ProviderSpan {
  providerId: string;
  since: number;
  until: number;
}

/** Requests of a bucket, model and price. */
export interface ProviderSum {
  /** The start of the bucket in which they started. */
  at: number;
  externalId: string;
  priceVersion?: string;
  /** Text generation, which usage reports of providers count apart from other media. */
  isText: boolean;
  requests: number;
  usage: Usage;
  cost: PicoUsd;
}

/** A request that the provider bills. */
export interface ProviderRow {
  requestId: string;
  startedAt: number;
  endedAt: number;
  externalId: string;
  modelId: string;
  upstreamId?: string;
  priceVersion?: string;
  isText: boolean;
  /** Its usage is an estimate of the gateway. */
  isEstimated: boolean;
  usage: Usage;
  units?: readonly LogUnit[];
  parts?: readonly LogPart[];
  cost: PicoUsd;
}

/** A call of the provider that did not answer a request, but may be billed. */
export interface ProviderAttempt {
  requestId: string;
  externalId: string;
  outcome: string;
  startedAt: number;
  endedAt: number;
  /** The prompt, as the same model of the provider counted it in the answer to the request; absent without one. */
  inputTokens?: number;
}

type RowChoice =
  /** Every request. */
  | { kind: 'all' }
  /** Requests that run beyond their bucket, and those that several models answered, which `sum` leaves out. */
  | { kind: 'special'; widthMs: number }
  /** Requests with an estimated usage, without a price, or with prices of their own. */
  | { kind: 'marked' };

/** For operators: without regard to organizations. */
export interface ProviderReader {
  sum(span: ProviderSpan, widthMs: number): Promise<ProviderSum[]>;
  /** By their start. Throws `invalid_request` if there are too many. */
  listRows(span: ProviderSpan, choice: RowChoice, most?: number): Promise<ProviderRow[]>;
  listAttempts(span: ProviderSpan): Promise<ProviderAttempt[]>;
  /** Prices as they are stored, by version. */
  listPrices(versions: readonly string[]): Promise<Map<string, string>>;
}

const DAY_MS = 86_400_000;
const MOST_ROWS = 250_000;
const MOST_SUMS = 200_000;
const MOST_ATTEMPTS = 100_000;
const COUNTS = Object.values(USAGE_COLUMNS);
/** `extract` is a decimal number, which takes longer. */
const START = "date_part('epoch', started_at) * 1000";
const END = `(${START} + duration_ms)`;
const SEVERAL = `COALESCE(jsonb_array_length(modifiers), 0) > 1`;
/** Calls that reached the provider and may have produced something there. */
const BILLABLE = ['outpaced', 'canceled', 'timed-out', 'broken', 'garbled', 'content-refused'];
const CALLED = `NOT request_log.cached AND credential = 'gateway'`;
const BILLED = `${CALLED} AND (provider_cost > 0 OR units IS NOT NULL OR ${COUNTS.join(' + ')} > 0)`;

export function createProviderReader(ports: ReaderPorts): ProviderReader {
  const report = <Result>(work: (ask: RunStatement) => Promise<Result>) => reportInTime(ports, 'all', work);
  return {
    sum: (span, widthMs) => report((ask) => byDay(span, MOST_SUMS, (day) => readSums(ask, day, widthMs))),
    listRows: (span, choice, most = MOST_ROWS) =>
      report((ask) => byDay(span, most, (day) => readRows(ask, day, { choice, most }))),
    listAttempts: (span) => report((ask) => byDay(span, MOST_ATTEMPTS, (day) => readAttempts(ask, day))),
    listPrices: (versions) => report((ask) => readPrices(ask, versions)),
  };
}

/** A statement per day, on one snapshot: each is far from the limit. Throws if they find more than the most. */
async function byDay<Row>(
  span: ProviderSpan,
  most: number,
  read: (day: ProviderSpan) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let since = span.since; since < span.until;) {
    const until = Math.min(span.until, (Math.floor(since / DAY_MS) + 1) * DAY_MS);
    for (const row of await read({ ...span, since, until })) rows.push(row);
    if (rows.length > most) throw createTooMany(most);
    since = until;
  }
  return rows;
}

function composeSpan({ since, until }: ProviderSpan, values: unknown[]): string {
  return `started_at >= to_timestamp($${values.push(since)}::float8 / 1000)
    AND started_at < to_timestamp($${values.push(until)}::float8 / 1000)`;
}

const readBucket = (moment: string, width: string): string => `floor((${moment}) / ${width}) * ${width}`;

async function readSums(ask: RunStatement, span: ProviderSpan, widthMs: number): Promise<ProviderSum[]> {
  const values: unknown[] = [];
  const where = composeSpan(span, values);
  const provider = `$${values.push(span.providerId)}`;
  const width = `$${values.push(widthMs)}::float8`;
  const rows = await ask<StoredSum>({
    text: `SELECT ${readBucket(START, width)} AS at, external_id, price_version, ${IS_TEXT} AS is_text,
        count(*)::float8 AS requests, sum(provider_cost)::text AS provider_cost,
        ${COUNTS.map((column) => `sum(${column})::text AS ${column}`).join(', ')}
      FROM request_log WHERE ${where} AND provider_id = ${provider} AND ${BILLED} AND NOT ${SEVERAL}
      GROUP BY 1, 2, 3, endpoint ORDER BY 1, 2 LIMIT ${MOST_SUMS + 1}`,
    values,
  });
  return rows.map((row) => ({
    at: row.at,
    externalId: row.external_id ?? '',
    ...(row.price_version !== null && { priceVersion: row.price_version }),
    isText: row.is_text,
    requests: row.requests,
    usage: readCounts(row),
    cost: BigInt(row.provider_cost),
  }));
}

function composeChoice(choice: RowChoice, values: unknown[]): string {
  if (choice.kind === 'all') return 'true';
  if (choice.kind === 'marked') return '(estimated OR price_version IS NULL OR modifiers IS NOT NULL)';
  const width = `$${values.push(choice.widthMs)}::float8`;
  return `(${readBucket(START, width)} <> ${readBucket(END, width)} OR ${SEVERAL})`;
}

async function readRows(
  ask: RunStatement,
  span: ProviderSpan,
  { choice, most }: { choice: RowChoice; most: number },
): Promise<ProviderRow[]> {
  const values: unknown[] = [];
  const where = composeSpan(span, values);
  const provider = `$${values.push(span.providerId)}`;
  const rows = await ask<StoredRow>({
    text: `SELECT request_id, round(${START})::float8 AS started_at, round(${END})::float8 AS ended_at, external_id,
        model_id, upstream_id, price_version, ${IS_TEXT} AS is_text, estimated,
        units, modifiers, provider_cost::text, ${COUNTS.map((column) => `${column}::text`).join(', ')}
      FROM request_log WHERE ${where} AND provider_id = ${provider} AND ${BILLED} AND ${composeChoice(choice, values)}
      ORDER BY request_log.started_at, request_id LIMIT ${most + 1}`,
    values,
  });
  return rows.map(toRow);
}

function toRow(row: StoredRow): ProviderRow {
  return {
    requestId: row.request_id,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    externalId: row.external_id ?? '',
    modelId: row.model_id ?? '',
    ...(row.upstream_id !== null && { upstreamId: row.upstream_id }),
    ...(row.price_version !== null && { priceVersion: row.price_version }),
    isText: row.is_text,
    isEstimated: row.estimated,
    usage: createUsage(readCounts(row)),
    ...(row.units && { units: row.units }),
    ...(row.modifiers && { parts: row.modifiers }),
    cost: BigInt(row.provider_cost),
  };
}

/**
 * Rows of other providers count too: the call was made for them before, or lost the race. The only call of a billed
 * request is the one that is billed; most rows are such, and are not searched.
 */
async function readAttempts(ask: RunStatement, span: ProviderSpan): Promise<ProviderAttempt[]> {
  const values: unknown[] = [];
  const where = composeSpan(span, values);
  const rows = await ask<StoredAttempts>({
    text: `SELECT request_id, round(${START})::float8 AS started_at, provider_id, external_id, attempts,
        ${BILLED} AS is_billed, (input_uncached + input_cache_read + input_cache_write_5m + input_cache_write_1h
          + input_audio + input_image)::float8 AS input
      FROM request_log WHERE ${where} AND NOT request_log.cached
        AND (jsonb_array_length(attempts) > 1 OR (${BILLED}) IS NOT TRUE) AND EXISTS (
        SELECT FROM jsonb_array_elements(attempts) AS a
        WHERE a ->> 'providerId' = $${values.push(span.providerId)} AND a ->> 'outcome' = ANY ($${values.push(BILLABLE)}))
      ORDER BY request_log.started_at, request_id LIMIT ${MOST_ATTEMPTS + 1}`,
    values,
  });
  return rows.flatMap((row) => listAttempts(row, span.providerId));
}

function listAttempts(row: StoredAttempts, providerId: string): ProviderAttempt[] {
  const isOwn = row.is_billed && row.provider_id === providerId;
  const billed = isOwn
    ? row.attempts.findLastIndex((one) => one.providerId === providerId && one.externalId === row.external_id)
    : -1;
  return row.attempts.flatMap((one, at) => {
    const isOther = one.providerId !== providerId || one.credential === 'own' || at === billed;
    if (isOther || !BILLABLE.includes(one.outcome)) return [];
    const startedAt = row.started_at + (one.startMs ?? 0);
    return {
      requestId: row.request_id,
      externalId: one.externalId,
      outcome: one.outcome,
      startedAt,
      endedAt: startedAt + one.durationMs,
      ...(isOwn && one.externalId === row.external_id && { inputTokens: row.input }),
    };
  });
}

async function readPrices(ask: RunStatement, versions: readonly string[]): Promise<Map<string, string>> {
  const rows = await ask<{ version: string; price: string }>({
    text: 'SELECT version, price::text FROM price_version WHERE version = ANY ($1)',
    values: [versions],
  });
  return new Map(rows.map(({ version, price }) => [version, price]));
}

interface StoredSum extends Record<UsageColumn, string> {
  at: number;
  external_id: string | null;
  price_version: string | null;
  is_text: boolean;
  requests: number;
  provider_cost: string;
}

interface StoredRow extends Record<UsageColumn, string> {
  request_id: string;
  started_at: number;
  ended_at: number;
  external_id: string | null;
  model_id: string | null;
  upstream_id: string | null;
  price_version: string | null;
  is_text: boolean;
  estimated: boolean;
  units: LogUnit[] | null;
  modifiers: LogPart[] | null;
  provider_cost: string;
}

interface StoredAttempts {
  request_id: string;
  started_at: number;
  provider_id: string | null;
  external_id: string | null;
  attempts: LogAttempt[];
  is_billed: boolean;
  input: number;
}

function createTooMany(most: number): GatewayError {
  return new GatewayError('invalid_request', `more than ${most} requests; narrow the time`);
}
