import { GatewayError } from '#errors';

/** The one of a list that an id names; throws as everything that does not exist here. */
export function getListed<Item extends { id: string }>(
  what: string,
  items: readonly Item[],
  id: string,
): Item {
  const found = items.find((item) => item.id === id);
  if (!found) throw new GatewayError('not_found', `there is no such ${what}`, { param: 'id' });
  return found;
}
