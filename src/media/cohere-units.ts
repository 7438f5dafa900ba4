import type { JsonObject } from '#base';
import type { Quantity } from './contract.ts';
import { isJsonObject } from '#base';
import { isBelievable, toCount } from '#canonical';
import { createQuantity } from './quantity.ts';

/** The units Cohere reports as billed (`meta.billed_units`); a count of zero is treated as unreported. */
function readBilledUnits({ meta }: JsonObject): JsonObject | undefined {
  const units = isJsonObject(meta) ? meta['billed_units'] : undefined;
  return isJsonObject(units) && isBelievable(units) ? units : undefined;
}

export function readBilledTokens(body: JsonObject): Quantity | undefined {
  const tokens = toCount(readBilledUnits(body)?.['input_tokens']);
  return tokens > 0 ? createQuantity({ inputUncached: tokens }) : undefined;
}

export function readBilledSearches(body: JsonObject): number | undefined {
  const searches = toCount(readBilledUnits(body)?.['search_units']);
  return searches > 0 ? searches : undefined;
}
