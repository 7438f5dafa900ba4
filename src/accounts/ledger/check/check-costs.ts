import type { Session } from '#storage';
import type { LedgerDifference } from '../ledger.ts';
import { toSnakeCase } from '#base';
import { KEPT_PARTS, type KeptBill, type Price, recountBill, restorePrice } from '#catalogue';

const ROWS_AT_ONCE = 5_000;

/**
 * Rows whose cost is not simply tokens × price are checked one by one. Integers as far as they can hold the sum,
 * which takes a tenth of the time. A price applies above a number of input tokens and ends where its next tier begins.
 * The counts are one text: a JSON object of them takes five times as long.
 */
const SUSPECTS = `
  DECLARE suspects NO SCROLL CURSOR FOR
  WITH price AS MATERIALIZED (
    SELECT p.version, t.above, COALESCE(lead(t.above) OVER (PARTITION BY p.version ORDER BY t.above), 'Infinity') AS upto,
      iu, ir, w5, w1, ia, ii, ot, rt, oa, oi, ws, (p.price ->> 'request')::bigint AS request,
      GREATEST(iu, ir, w5, w1, ia, ii, ot, rt, oa, oi, ws) AS most
    FROM price_version p
    CROSS JOIN LATERAL (
      SELECT -1::float8 AS above, p.price -> 'parts' AS parts
      UNION ALL
      SELECT (e.value ->> 'aboveInputTokens')::float8, e.value -> 'parts' FROM jsonb_array_elements(p.price -> 'tiers') AS e
    ) AS t
    CROSS JOIN LATERAL jsonb_to_record(t.parts) AS r (
      "inputUncached" bigint, "inputCacheRead" bigint, "inputCacheWrite5m" bigint, "inputCacheWrite1h" bigint,
      "inputAudio" bigint, "inputImage" bigint, "outputText" bigint, "outputReasoning" bigint, "outputAudio" bigint,
      "outputImage" bigint, "webSearches" bigint)
    CROSS JOIN LATERAL (SELECT COALESCE("inputUncached", 0) AS iu, COALESCE("inputCacheRead", 0) AS ir,
      COALESCE("inputCacheWrite5m", 0) AS w5, COALESCE("inputCacheWrite1h", 0) AS w1, COALESCE("inputAudio", 0) AS ia,
      COALESCE("inputImage", 0) AS ii, COALESCE("outputText", 0) AS ot, COALESCE("outputReasoning", 0) AS rt,
      COALESCE("outputAudio", 0) AS oa, COALESCE("outputImage", 0) AS oi, COALESCE("webSearches", 0) AS ws) AS c
  ), counted AS (
    SELECT l.*, input_uncached::float8 + input_cache_read + input_cache_write_5m + input_cache_write_1h + input_audio
      + input_image AS input FROM request_log l
  )
  SELECT l.request_id AS id, l.provider_cost::text AS provider, l.customer_cost::text AS customer, l.cached,
    l.price_version AS version, l.units, l.modifiers,
    concat_ws(',', ${KEPT_PARTS.map(toSnakeCase).join(', ')}) AS counts
  FROM counted l LEFT JOIN price p ON p.version = l.price_version AND l.input > p.above AND l.input <= p.upto
  WHERE (l.cached AND l.provider_cost <> 0) OR (p.version IS NOT NULL AND l.customer_cost > l.provider_cost)
    OR (p.version IS NOT NULL AND NOT l.cached AND (l.units IS NOT NULL OR l.modifiers IS NOT NULL OR NOT CASE
      WHEN (l.input + output_text + output_reasoning + output_audio + output_image + web_searches) * p.most > 9e18 THEN false
      ELSE l.provider_cost = (
        input_uncached * iu + input_cache_read * ir + input_cache_write_5m * w5 + input_cache_write_1h * w1
        + input_audio * ia + input_image * ii + output_text * ot + output_reasoning * rt + output_audio * oa
        + output_image * oi + web_searches * ws + request)
      END))`;

interface Suspect extends Omit<KeptBill, 'priceVersion' | 'usage'> {
  id: string;
  provider: string;
  customer: string;
  cached: boolean;
  version: string | null;
  /** In the order of the columns. */
  counts: string;
}

/**
 * Rows whose cost differs from their usage at the prices of their version: the first of them and the number of all. The
 * session is in a transaction.
 */
export async function checkCosts(
  session: Session,
  most: number,
): Promise<{ listed: LedgerDifference[]; count: number }> {
  const prices = await readPrices(session);
  await session.query({ text: SUSPECTS });
  const listed: LedgerDifference[] = [];
  let count = 0;
  for (;;) {
    const { rows } = await session.query<Suspect>({ text: `FETCH ${ROWS_AT_ONCE} FROM suspects` });
    const faults = rows.flatMap((row) => listFaults(row, prices));
    count += faults.length;
    listed.push(...faults.slice(0, most - listed.length));
    if (rows.length < ROWS_AT_ONCE) return { listed, count };
  }
}

async function readPrices(session: Session): Promise<Map<string, Price>> {
  const { rows } = await session.query<{ version: string; price: string }>({
    text: 'SELECT version, price::text FROM price_version',
  });
  return new Map(rows.map(({ version, price }) => [version, restorePrice(version, price)]));
}

function listFaults(row: Suspect, prices: ReadonlyMap<string, Price>): LedgerDifference[] {
  const { id: subject, provider, customer } = row;
  const expected = describeDue(row, prices);
  return [
    ...(expected === undefined || expected === provider
      ? []
      : [{ what: 'cost of its usage', subject, expected, actual: provider }]),
    ...(BigInt(customer) > BigInt(provider)
      ? [{ what: 'customer above cost', subject, expected: `at most ${provider}`, actual: customer }]
      : []),
  ];
}

/** What a row should have cost; undefined if that cannot be determined. */
function describeDue(row: Suspect, prices: ReadonlyMap<string, Price>): string | undefined {
  if (row.cached) return '0';
  if (row.version === null) return undefined;
  try {
    const { version, units, modifiers } = row;
    const bill = { priceVersion: version, usage: readUsage(row), units, modifiers };
    return recountBill(bill, prices)?.toString();
  } catch (error) {
    return error instanceof RangeError ? error.message : String(error);
  }
}

function readUsage({ counts }: Suspect): KeptBill['usage'] {
  const usage: KeptBill['usage'] = {};
  const texts = counts.split(',');
  for (const [at, part] of KEPT_PARTS.entries()) usage[part] = Number(texts[at]);
  return usage;
}
