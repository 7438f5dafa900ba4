import { GatewayError } from '#errors';

/** Throws `not_found` for an empty list, as a call that finds nothing does. */
export function requireAny<Item>(items: Item[]): Item[] {
  if (items.length === 0) throw new GatewayError('not_found', 'nothing is listed');
  return items;
}
