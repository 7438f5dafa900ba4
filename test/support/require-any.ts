import { GatewayError } from '#errors';

/** A list as a call that finds nothing when it is empty. */
export function requireAny<Item>(items: Item[]): Item[] {
  if (items.length === 0) throw new GatewayError('not_found', 'nothing is listed');
  return items;
}
