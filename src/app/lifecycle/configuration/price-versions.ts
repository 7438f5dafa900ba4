import type { Catalogue, Price } from '#catalogue';
import type { Database } from '#storage';
import { encodePrice, listOwnPrices, restorePrice } from '#catalogue';

const KEEP_PRICES = `
  INSERT INTO price_version (version, price)
  SELECT r.version, r.price FROM jsonb_to_recordset($1) AS r (version text, price jsonb)
  ON CONFLICT (version) DO NOTHING`;

/** Keeps the prices of a catalogue, so that bills stay explainable when they change. */
export async function keepPrices(database: Database, { models }: Catalogue): Promise<void> {
  const prices = new Map<string, object>();
  const mappings = [...models.values()].flatMap((model) => model.mappings);
  for (const price of mappings.flatMap((mapping) => [mapping.price ?? [], listOwnPrices(mapping)].flat())) {
    if (!prices.has(price.version)) prices.set(price.version, encodePrice(price));
  }
  const rows = [...prices].map(([version, price]) => ({ version, price }));
  await database.query({ text: KEEP_PRICES, values: [JSON.stringify(rows)] });
}

/** The price of a version that some catalogue of this installation had. */
export async function findPrice(database: Database, version: string): Promise<Price | undefined> {
  const { rows } = await database.query<{ price: string }>({
    text: 'SELECT price::text FROM price_version WHERE version = $1',
    values: [version],
  });
  return rows[0] && restorePrice(version, rows[0].price);
}
