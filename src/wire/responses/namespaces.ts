import type { ResponsesBody } from './schema.ts';
import { isObject, itemsOf } from '../read-field.ts';
import type { ItemOf, Members, ObjectOf } from '../unchecked.ts';

/** A tool inside a namespace, as calls identify it. */
export interface PlacedName {
  namespace: string;
  name: string;
}

/** The flat name of a namespaced tool, for formats without namespaces. */
export function flattenName({ namespace, name }: PlacedName): string {
  return namespace.endsWith('__') ? `${namespace}${name}` : `${namespace}__${name}`;
}

/** The namespaced tools of a request by flat name; a plain tool of the same name wins. */
export function findPlacedNames(tools: Members<ResponsesBody>['tools']): ReadonlyMap<string, PlacedName> {
  const placed = new Map<string, PlacedName>();
  const list = listOf(tools);
  for (const tool of list) {
    const { type, name: namespace } = tool;
    if (type !== 'namespace' || typeof namespace !== 'string') continue;
    for (const { name } of listOf(tool.tools)) {
      if (typeof name === 'string') placed.set(flattenName({ namespace, name }), { namespace, name });
    }
  }
  if (placed.size === 0) return placed;
  for (const { type, name } of list) {
    if (type !== 'namespace' && typeof name === 'string') placed.delete(name);
  }
  return placed;
}

function listOf<V>(value: V): ObjectOf<ItemOf<V>>[] {
  return itemsOf(value).filter(isObject);
}
