import type { JsonObject } from '#base';
import type { Quantity } from './contract.ts';
import { isJsonObject } from '#base';
import { toCount } from '#canonical';
import { createQuantity } from './quantity.ts';

/** What Cohere says that it bills: `meta.billed_units`. */
function readBilledUnits({ meta }: JsonObject): JsonObject | undefined {
  const units = isJsonObject(meta) ? meta['billed_units'] : undefined;
  return isJsonObject(units) ? units : undefined;
}

export function readBilledTokens(body: JsonObject): Quantity | undefined {
  const units = readBilledUnits(body);
  return units && createQuantity({ inputUncached: toCount(units['input_tokens']) });
}

export function readBilledSearches(body: JsonObject): number | undefined {
  const searches = readBilledUnits(body)?.['search_units'];
  return searches === undefined ? undefined : toCount(searches);
}
