import { type JsonObject, formatUsd } from '#base';
import type { Billed } from './billing-record.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export const hourOf = (at: number): number => Math.floor(at / HOUR) * HOUR;
const dayOf = (at: number): number => Math.floor(at / DAY) * DAY;
const toTime = (at: number): string => new Date(at).toISOString();
const toSeconds = (at: number): number => at / 1_000;

interface Group {
  at: number;
  bills: Billed[];
}

function group(bills: readonly Billed[], name: (bill: Billed) => unknown[], floor = hourOf): Group[] {
  const groups = Map.groupBy(bills, (bill) => JSON.stringify([floor(bill.at), ...name(bill)]));
  return [...groups.values()].map((some) => ({ at: floor(some[0]?.at ?? 0), bills: some }));
}

const sum = (bills: readonly Billed[], pick: (bill: Billed) => number): number =>
  bills.reduce((total, bill) => total + pick(bill), 0);
const costOf = (bills: readonly Billed[]): bigint => bills.reduce((total, { cost }) => total + cost, 0n);

/** The buckets of a span, each with its results. */
function listBuckets(
  span: readonly [number, number],
  width: number,
  results: readonly [number, JsonObject][],
) {
  const buckets: { at: number; results: JsonObject[] }[] = [];
  for (let at = span[0]; at < span[1]; at += width)
    buckets.push({ at, results: results.filter(([own]) => own === at).map(([, result]) => result) });
  return buckets;
}

/** Pages of `usage_report/messages`, by model, tier and region. */
export function writeAnthropicUsage(bills: readonly Billed[], span: readonly [number, number]): JsonObject[] {
  const results = group(bills, ({ model, tier, geo }) => [model, tier, geo]).map(
    ({ at, bills: some }): [number, JsonObject] => [
      at,
      {
        uncached_input_tokens: sum(some, ({ input }) => input),
        cache_read_input_tokens: sum(some, ({ read }) => read),
        cache_creation: {
          ephemeral_5m_input_tokens: sum(some, ({ written }) => written),
          ephemeral_1h_input_tokens: sum(some, ({ writtenLong }) => writtenLong),
        },
        output_tokens: sum(some, ({ output }) => output),
        server_tool_use: { web_search_requests: 0 },
        api_key_id: null,
        workspace_id: null,
        context_window: '0-200k',
        model: some[0]?.model,
        service_tier: some[0]?.tier,
        inference_geo: some[0]?.geo,
      },
    ],
  );
  const data = listBuckets(span, HOUR, results).map(({ at, results: own }) => ({
    starting_at: toTime(at),
    ending_at: toTime(at + HOUR),
    results: own,
  }));
  return paginate(data);
}

/** Pages of `cost_report`, by description: amounts are in cents. */
export function writeAnthropicCosts(bills: readonly Billed[], span: readonly [number, number]): JsonObject[] {
  const results = group(bills, ({ model, tier, geo }) => [model, tier, geo], dayOf).map(
    ({ at, bills: some }): [number, JsonObject] => [
      at,
      {
        currency: 'USD',
        amount: formatUsd(costOf(some) * 100n),
        cost_type: 'tokens',
        token_type: null,
        description: `${some[0]?.model} Usage`,
        model: some[0]?.model,
        service_tier: some[0]?.tier,
        inference_geo: some[0]?.geo,
        context_window: '0-200k',
        workspace_id: null,
      },
    ],
  );
  const data = listBuckets([dayOf(span[0]), dayOf(span[1] - 1) + DAY], DAY, results).map((bucket) => ({
    starting_at: toTime(bucket.at),
    ending_at: toTime(bucket.at + DAY),
    results: bucket.results,
  }));
  return paginate(data);
}

/** Rows of `analytics/usage` and `analytics/cost`. */
export function writeAnalytics(bills: readonly Billed[], kind: 'usage' | 'cost'): JsonObject[] {
  const data = group(bills, ({ model, tier, geo }) => [model, tier, geo]).map(({ at, bills: some }) => {
    const amount = formatUsd(costOf(some) * 100n);
    return {
      starting_at: toTime(at),
      ending_at: toTime(at + HOUR),
      group: { model: some[0]?.model, service_tier: some[0]?.tier, inference_geo: some[0]?.geo },
      ...(kind === 'cost' && {
        cost: { amount, list_amount: amount, currency: 'USD', requests: some.length },
      }),
      ...(kind === 'usage' && {
        usage: {
          uncached_input_tokens: sum(some, ({ input }) => input),
          cache_read_input_tokens: sum(some, ({ read }) => read),
          cache_creation: {
            ephemeral_5m_input_tokens: sum(some, ({ written }) => written),
            ephemeral_1h_input_tokens: sum(some, ({ writtenLong }) => writtenLong),
          },
          output_tokens: sum(some, ({ output }) => output),
          requests: some.length,
          server_tool_use: { web_search_requests: 0 },
        },
      }),
    };
  });
  return paginate(data);
}

/** Pages of `usage/completions`, by model and tier. */
export function writeOpenaiUsage(bills: readonly Billed[], span: readonly [number, number]): JsonObject[] {
  const results = group(bills, ({ model, tier }) => [model, tier]).map(
    ({ at, bills: some }): [number, JsonObject] => [
      at,
      {
        object: 'organization.usage.completions.result',
        input_tokens: sum(some, ({ input, read }) => input + read),
        input_cached_tokens: sum(some, ({ read }) => read),
        input_cache_write_tokens: 0,
        output_tokens: sum(some, ({ output }) => output),
        num_model_requests: some.length,
        project_id: null,
        user_id: null,
        api_key_id: null,
        batch: false,
        model: some[0]?.model,
        service_tier: some[0]?.tier,
      },
    ],
  );
  const data = listBuckets(span, HOUR, results).map(({ at, results: own }) => ({
    object: 'bucket',
    start_time: toSeconds(at),
    end_time: toSeconds(at + HOUR),
    results: own,
  }));
  return paginate(data);
}

/** Pages of `costs`, by line item: amounts are binary fractions. */
export function writeOpenaiCosts(bills: readonly Billed[], span: readonly [number, number]): JsonObject[] {
  const results = group(bills, ({ model }) => [model], dayOf).map(
    ({ at, bills: some }): [number, JsonObject] => [
      at,
      {
        object: 'organization.costs.result',
        amount: { value: Number(formatUsd(costOf(some))), currency: 'usd' },
        line_item: `${some[0]?.model}, all tokens`,
        project_id: null,
      },
    ],
  );
  const data = listBuckets([dayOf(span[0]), dayOf(span[1] - 1) + DAY], DAY, results).map((bucket) => ({
    object: 'bucket',
    start_time: toSeconds(bucket.at),
    end_time: toSeconds(bucket.at + DAY),
    results: bucket.results,
  }));
  return paginate(data);
}

/** A line per request. */
export function writeCsv(bills: readonly Billed[]): string {
  const names =
    'upstream_id,time,model,input_tokens,cache_read_tokens,cache_write_tokens,output_tokens,cost_usd';
  const lines = bills.map(({ id, at, model, input, read, written, writtenLong, output, cost }) =>
    [id, toTime(at), model, input, read, written + writtenLong, output, formatUsd(cost)].join(','),
  );
  return [names, ...lines, ''].join('\r\n');
}

const PAGE = 5;

function paginate(data: JsonObject[]): JsonObject[] {
  const count = Math.max(1, Math.ceil(data.length / PAGE));
  return Array.from({ length: count }, (_, at) => ({
    object: 'page',
    data: data.slice(at * PAGE, (at + 1) * PAGE),
    has_more: at < count - 1,
    next_page: at < count - 1 ? `page_${at + 1}` : null,
  }));
}
