import { type JsonValue, isJsonObject } from '#base';

/** The leaves of a value by their paths; the members of a list share one path, `tools[].name`. */
function listLeaves(value: JsonValue | undefined, path = '', leaves = new Map<string, string[]>()) {
  const inner = Array.isArray(value)
    ? value.map((item) => [`${path}[]`, item] as const)
    : isJsonObject(value)
      ? Object.entries(value).map(([name, item]) => [path === '' ? name : `${path}.${name}`, item] as const)
      : [];
  for (const [at, item] of inner) listLeaves(item, at, leaves);
  if (inner.length === 0) leaves.set(path, [...(leaves.get(path) ?? []), JSON.stringify(value)]);
  return leaves;
}

/** Whether two values differ at a path or below it. */
export function differAt(path: string, left: JsonValue, right: JsonValue): boolean {
  return pick(path, left) !== pick(path, right);
}

function pick(path: string, value: JsonValue): string {
  const below = [...listLeaves(value)].filter(
    ([leaf]) => leaf === path || leaf.startsWith(`${path}.`) || leaf.startsWith(`${path}[`),
  );
  return JSON.stringify(below);
}

/** Every path of a value, inner ones too, and every word as `path=word`. */
export function listPaths(value: JsonValue): Set<string> {
  const paths = new Set<string>();
  for (const [leaf, texts] of listLeaves(value)) {
    for (const text of texts) paths.add(`${leaf}=${text.replaceAll('"', '')}`);
    for (let path = leaf; path !== ''; path = path.replace(/(?:\[\]|\.?[^.[\]]+)$/, '')) paths.add(path);
  }
  return paths;
}

/** Every path that a JSON Schema names, and every word that it allows, as `path=word`. */
export function listSchemaPaths(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { anyOf, items, properties, const: word } = schema as Record<string, unknown>;
  const own = typeof word === 'string' ? [`${path}=${word}`] : [];
  const members = Object.entries((properties ?? {}) as Record<string, unknown>).flatMap(([name, inner]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [at, ...listSchemaPaths(inner, at)];
  });
  const options = ((anyOf ?? []) as unknown[]).flatMap((option) => listSchemaPaths(option, path));
  return [...own, ...members, ...options, ...listSchemaPaths(items, `${path}[]`)];
}
