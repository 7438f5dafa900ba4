import { GatewayError } from '#errors';
import { createNotFound } from '../read-input.ts';
import type { Operation, OperationCall, Resource } from '../resource/resource.ts';
import type { ResourcePorts } from '../resources.ts';

type AnyResource = Resource<ResourcePorts>;
type AnyOperation = Operation<ResourcePorts>;
type Call = OperationCall<ResourcePorts>;
type Input = Readonly<Record<string, unknown>>;

/** The organization that an admin key is bound to, and all resources, whose ids an operation can name. */
interface Binding {
  organizationId: string;
  resources: readonly AnyResource[];
}

/** Something that an operation is about: an id, and of which kind of thing. */
interface NamedThing {
  kind: string;
  id: string;
}

/**
 * A resource as an admin key sees it that is bound to one organization: what belongs to others does not exist. An
 * operation whose definition does not show whose things it is about is refused.
 */
export function bindResource(resource: AnyResource, binding: Binding): AnyResource {
  const bound = Object.entries(resource.operations).map(([name, operation]) => {
    const run = name === 'list' ? runList : runChecked;
    return [name, { ...operation, run: (call: Call) => run({ resource, name, operation, call }, binding) }];
  });
  return { ...resource, operations: Object.fromEntries(bound) as AnyResource['operations'] };
}

interface Visit {
  resource: AnyResource;
  name: string;
  operation: AnyOperation;
  call: Call;
}

/** A list is filtered by the organization; that of another one is empty. */
async function runList({ resource, name, operation, call }: Visit, binding: Binding): Promise<unknown> {
  const filter = findOrganizationMember(operation);
  if (filter === undefined) throw refuse(resource, name);
  const input = fillOrganization(operation, call.input as Input, binding);
  if (input[filter] !== binding.organizationId) return [];
  const records = (await operation.run({ ...call, input })) as unknown[];
  for (const record of records) checkAnswer(resource, record, binding);
  return records;
}

/** Everything that the path or the input refersTo must be the organization's own, and something must be named. */
async function runChecked({ resource, name, operation, call }: Visit, binding: Binding): Promise<unknown> {
  const input = fillOrganization(operation, call.input as Input, binding);
  const things = listNamed(operation, input);
  if (name !== 'create') things.unshift({ kind: resource.name, id: call.id });
  if (things.length === 0) throw refuse(resource, name);
  for (const { kind, id } of things) {
    const named = kind === resource.name ? resource : binding.resources.find((each) => each.name === kind);
    if (!named?.owner) throw refuse(resource, name);
    await checkOwner({ resource: named, id, ports: call }, binding);
  }
  const answer = await operation.run({ ...call, input });
  if (operation.kind !== 'deleted') checkAnswer(resource, answer, binding);
  return answer;
}

async function checkOwner(
  { resource, id, ports }: { resource: AnyResource; id: string; ports: ResourcePorts },
  { organizationId }: Binding,
): Promise<void> {
  const { owner } = resource;
  const isOwn =
    typeof owner === 'function'
      ? (await owner(ports, id)).organizationId === organizationId
      : id === organizationId;
  if (isOwn) return;
  throw createNotFound(typeof owner === 'function' ? resource.name.replaceAll('_', ' ') : 'organization');
}

/** The last line of defence against a definition that checks the wrong thing: the answer is never sent. */
function checkAnswer({ name }: AnyResource, record: unknown, { organizationId }: Binding): void {
  const { id, organizationId: owner = id } = record as { id?: string; organizationId?: string };
  if (owner !== organizationId) throw new Error(`a ${name} of another organization was about to be sent`);
}

/** The member of an input that refersTo the organization. */
function findOrganizationMember({ input }: AnyOperation): string | undefined {
  return Object.keys(input).find((name) => input[name]?.type.refersTo === 'organization');
}

function fillOrganization(operation: AnyOperation, input: Input, { organizationId }: Binding): Input {
  const member = findOrganizationMember(operation);
  return member === undefined || input[member] !== undefined ? input : { ...input, [member]: organizationId };
}

function listNamed({ input: fields }: AnyOperation, input: Input): NamedThing[] {
  return Object.entries(fields).flatMap(([name, { type }]) => {
    const id = input[name];
    if (type.refersTo === undefined || id === undefined) return [];
    const { refersTo } = type;
    const kind = typeof refersTo === 'string' ? refersTo : input[refersTo.member];
    return [{ kind: kind as string, id: id as string }];
  });
}

function refuse({ name }: AnyResource, operation: string): GatewayError {
  const what = name.replaceAll('_', ' ');
  return new GatewayError(
    'missing_scope',
    `this admin key is bound to one organization and cannot ${operation} any ${what}`,
  );
}
