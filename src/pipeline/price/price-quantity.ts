import type { PicoUsd } from '#base';
import type { Mapping } from '#catalogue';
import type { Quantity } from '#media';
import { priceUnits, priceUsage } from '#catalogue';

/** The exact price of tokens and units at a mapping; undefined if it has none. */
export function priceQuantity({ price }: Pick<Mapping, 'price'>, { usage, units }: Quantity): PicoUsd {
  return price ? priceUsage(price, usage) + priceUnits(price.units, units) : 0n;
}
