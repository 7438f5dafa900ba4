import assert from 'node:assert/strict';
import { createUsage } from '#canonical';
import { priceUsage, restorePrice } from '#catalogue';
import type { Database } from '#storage';

/** What a request was billed for. */
export interface BilledRow {
  id: string;
  version: string;
  /** Pico-USD. */
  cost: string;
  input: number;
  output: number;
}

/** The rows of a model, in the order in which they began. */
export async function readBilledRows(database: Database, model: string): Promise<BilledRow[]> {
  const { rows } = await database.query<BilledRow>({
    text: `SELECT request_id AS id, price_version AS version, provider_cost::text AS cost,
        input_uncached::float8 AS input, output_text::float8 AS output
      FROM request_log WHERE model_id = $1 ORDER BY started_at, request_id`,
    values: [model],
  });
  return rows;
}

/** The input price that a row was billed at, in USD per million tokens; fails if that price makes another cost. */
export async function readBilledPrices(database: Database): Promise<(row: BilledRow) => number> {
  const { rows } = await database.query<{ version: string; price: string }>({
    text: 'SELECT version, price::text FROM price_version',
  });
  const prices = new Map(rows.map(({ version, price }) => [version, restorePrice(version, price)]));
  return ({ version, input, output, cost }) => {
    const price = prices.get(version);
    assert.ok(price && input > 0 && output > 0);
    const usage = createUsage({ inputUncached: input, outputText: output });
    assert.equal(priceUsage(price, usage).toString(), cost);
    return Number(price.parts.inputUncached) / 1_000_000;
  };
}
