import type { JsonObject } from '#base';
import type { TSchema } from 'typebox';
import { namePlace } from '#base';
import { GatewayError } from '#errors';
import { Compile } from 'typebox/compile';

/** Gives a body that fits its schema; throws `invalid_request` naming the first member that does not. */
export type BodyReader = (body: JsonObject) => JsonObject;

interface Fault {
  keyword: string;
  instancePath: string;
  params: Readonly<Record<string, unknown>>;
  message: string;
}

export function createBodyReader(schema: TSchema): BodyReader {
  const validator = Compile(schema);
  return (body) => {
    if (validator.Check(body)) return body;
    throw describe(schema, body, validator.Errors(body));
  };
}

function describe(schema: TSchema, body: JsonObject, faults: readonly Fault[]): GatewayError {
  const fault = faults.find(({ keyword }) => keyword === 'boolean') ?? faults[0];
  const pointer = fault?.instancePath ?? '';
  const place = namePlace(body, pointer);
  const complain = (param: string, complaint: string): GatewayError =>
    new GatewayError('invalid_request', `${param}: ${complaint}`, { param });
  if (fault?.keyword === 'required') {
    const missing = String((fault.params['requiredProperties'] as string[])[0]);
    return complain(place === '' ? missing : `${place}.${missing}`, 'is missing');
  }
  const nodes = walk(schema, pointer.split('/').slice(1));
  if (fault?.keyword === 'boolean') {
    const known = Object.keys(nodes.at(-1)?.properties ?? {});
    return complain(place, `is not known here; known are ${known.join(', ')}`);
  }
  const expected = nodes.findLast(({ description }) => description !== undefined)?.description;
  return complain(
    place || 'body',
    expected === undefined ? (fault?.message ?? 'is not right') : `must be ${expected}`,
  );
}

interface Node {
  description?: string;
  properties?: Record<string, Node>;
  items?: Node;
  anyOf?: Node[];
}

/** The parts of a schema that a path leads through, as far as it is known. */
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

/** Of a choice between an object and null, the object under the description of the choice. */
function inside(node: Node): Node {
  const object = node.anyOf?.find(({ properties }) => properties);
  return object?.properties ? { ...node, properties: object.properties } : node;
}
