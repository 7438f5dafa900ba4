import type { TSchema } from 'typebox';
import { type JsonObject, findFault, fitsSchema, namePlace } from '#base';
import { createParamError, type GatewayError } from '#errors';

/** Returns the body if it fits its schema; otherwise throws `invalid_request`, naming the first wrong member. */
export type BodyReader = (body: JsonObject) => JsonObject;

/** `former`: present names of members by earlier ones. */
export function createBodyReader(schema: TSchema, former: Readonly<Record<string, string>> = {}): BodyReader {
  return (body) => {
    if (fitsSchema(schema, body)) return body;
    const renamed = Object.keys(former).find((name) => Object.hasOwn(body, name));
    if (renamed !== undefined)
      throw createParamError(renamed, `is not known here; it is called ${former[renamed]} now`);
    throw describe(schema, body);
  };
}

function describe(schema: TSchema, body: JsonObject): GatewayError {
  const { keyword, path = [], message = 'is not right', missing, known } = findFault(schema, body) ?? {};
  if (missing) return createParamError(namePlace(body, [...path, ...missing.slice(0, 1)]), 'is missing');
  const place = namePlace(body, path);
  if (known) return createParamError(place, `is not known here; known are ${known.join(', ')}`);
  const expected = walk(schema, path).findLast(({ description }) => description !== undefined)?.description;
  return createParamError(
    place || 'body',
    expected === undefined || keyword === 'maxItems' ? message : `must be ${expected}`,
  );
}

interface Node {
  description?: string;
  properties?: Record<string, Node>;
  items?: Node;
  anyOf?: Node[];
}

/** The schemas along a path, as far as the path is known. */
function walk(schema: Node, path: readonly string[]): Node[] {
  const nodes = [inside(schema)];
  for (const key of path) {
    const node = nodes.at(-1);
    const next = node?.properties?.[key] ?? node?.items;
    if (!next) break;
    nodes.push(inside(next));
  }
  return nodes;
}

/** For an object or null: the object, with the description of the union. */
function inside(node: Node): Node {
  const object = node.anyOf?.find(({ properties }) => properties);
  return object?.properties ? { ...node, properties: object.properties } : node;
}
