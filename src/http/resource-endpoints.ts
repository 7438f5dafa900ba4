import {
  closedObject,
  createListSchema,
  decodeInput,
  describeFields,
  type InputField,
  type InputFields,
  type Reference,
  wireNameOf,
} from '#fields';
import type { AnyOperation, AnyResource, RequiredScope } from '#accounts';
import type { JsonObject } from '#base';
import type { Endpoint, ResponseSpec } from './endpoint.ts';
import { RESOURCES } from '#accounts';
import { type TObject, type TSchema, type TUnsafe, Type } from 'typebox';
import { defineAdminEndpoint } from './admin/admin-endpoint.ts';
import { describeFilters } from './admin/filters.ts';
import type { References } from './admin/to-request-error.ts';
import { PAGE_QUERY, readPage } from './admin/list.ts';

/** Absent where an operation takes none. */
type Body = JsonObject | undefined;

const METHODS: Readonly<Record<string, 'DELETE' | 'GET'>> = { get: 'GET', list: 'GET', remove: 'DELETE' };

/** The endpoints of all resources. */
export function createResourceEndpoints(): Endpoint[] {
  return RESOURCES.flatMap((resource) =>
    Object.entries(resource.operations)
      .filter(([, { local }]) => local === undefined)
      .map(([name, operation]) => createEndpoint(resource, operation, name)),
  );
}

function createEndpoint(resource: AnyResource, operation: AnyOperation, name: string): Endpoint {
  const { method, path } = describeRoute(resource, name);
  const isList = name === 'list';
  const { input, summary, example } = operation;
  const references = listReferences(input);
  const takesBody = method === 'POST' && Object.keys(input).length > 0;
  return defineAdminEndpoint({
    method,
    path,
    summary,
    scope: `${resource.scope}:${method === 'GET' ? 'read' : 'write'}` as RequiredScope,
    ...(isList && { query: { ...describeFilters(input), ...(operation.kind === 'page' && PAGE_QUERY) } }),
    ...(takesBody && {
      body: createBodySchema(input, { example, title: toTitle(`${name}_${resource.name}`) }),
      former: listFormer(input),
    }),
    answer: describeAnswer(resource, operation),
    references,
    ...(name === 'create' && { canMiss: Object.keys(references).length > 0 }),
    ...(operation.isForMembers === true && { isForMembers: true }),
    needs: ['installation'],
    handle: async ({ perform, id, query, body }, { installation }) => {
      const given = isList ? query : body;
      const page = operation.kind === 'page' ? readPage(query) : {};
      const call = { ...installation, id, page, input: decodeInput(input, given ?? {}) };
      return (await perform(resource, name, call)).json;
    },
  });
}

/** The method and path of an operation. */
export function describeRoute(
  resource: AnyResource,
  name: string,
): { method: 'DELETE' | 'GET' | 'POST'; path: string } {
  return { method: METHODS[name] ?? 'POST', path: `/admin/v1/${createPath(resource, name)}` };
}

/** `keys`, `keys/{id}`, `keys/{id}/rotate`; a resource that is part of another has one path. */
function createPath({ path }: AnyResource, name: string): string {
  if (name === 'create' || name === 'list' || path.includes('{id}')) return path;
  return ['get', 'update', 'remove'].includes(name) ? `${path}/{id}` : `${path}/{id}/${name}`;
}

function createBodySchema(
  input: InputFields,
  { example, title }: { example: JsonObject | undefined; title: string },
): TUnsafe<Body> {
  const schemaOf = ({ type, isOptional }: InputField): TSchema =>
    isOptional ? Type.Optional(type.input) : type.input;
  const members = Object.entries(input).map(([name, field]): [string, TSchema] => [
    wireNameOf(name, field.type),
    schemaOf(field),
  ]);
  const schema: TSchema = closedObject(Object.fromEntries<TSchema>(members));
  return Type.Unsafe<Body>({ ...schema, ...(example && { examples: [example] }), title });
}

function listReferences(input: InputFields): References {
  const references: Record<string, Reference> = {};
  for (const [name, { type }] of Object.entries(input))
    if (type.refersTo !== undefined) references[wireNameOf(name, type)] = type.refersTo;
  return references;
}

/** Present names of members by earlier ones. */
function listFormer(input: InputFields): Record<string, string> {
  const renamed = Object.entries(input).flatMap(([name, { type }]) =>
    type.formerly === undefined ? [] : [[type.formerly, wireNameOf(name, type)]],
  );
  return Object.fromEntries(renamed) as Record<string, string>;
}

function describeAnswer(
  resource: AnyResource,
  { kind, answer: description, fields }: AnyOperation,
): ResponseSpec {
  const one = createShape(resource);
  const title = toTitle(resource.name);
  if (kind === 'list' || kind === 'page')
    return { description, schema: { ...createListSchema(one), title: `${title}List` } };
  if (kind === 'secret')
    return {
      description,
      schema: Type.Object({ secret: Type.String(), ...one.properties }, { title: `${title}WithSecret` }),
    };
  if (kind === 'one') return { description, schema: one };
  const object = Type.Literal(resource.name);
  const gone = { object, id: Type.String(), deleted: Type.Literal(true) };
  return {
    description,
    schema: Type.Object({ ...gone, ...describeFields(fields ?? {}) }, { title: `Deleted${title}` }),
  };
}

function createShape({ name, path, fields }: AnyResource): TObject {
  const hasId = !path.includes('{id}');
  return Type.Object(
    {
      object: Type.Literal(name),
      ...(hasId && { id: Type.String() }),
      ...describeFields(fields),
    },
    { title: toTitle(name) },
  );
}

/** `custom_model` → `CustomModel` */
function toTitle(name: string): string {
  return name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
