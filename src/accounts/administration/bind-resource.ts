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

/** A record that an operation names: its kind and its id. */
interface NamedRecord {
  kind: string;
  id: string;
}

/**
 * The resource for an admin key that is bound to one organization: records of others do not exist for it. An operation
 * whose definition does not show which organization it is about is refused.
 */
export function bindResource(resource: AnyResource, binding: Binding): AnyResource {
  const bound = Object.entries(resource.operations).map(([name, operation]) => {
    const run = name === 'list' ? runList : runChecked;
    return [name, { ...operation, run: (call: Call) => run({ resource, name, operation, call }, binding) }];
  });
  return { ...resource, operations: Object.fromEntries(bound) as AnyResource['operations'] };
}

interface BoundCall {
  resource: AnyResource;
  name: string;
  operation: AnyOperation;
  call: Call;
}

/** A list is filtered by the organization; that of another organization is empty. */
async function runList({ resource, name, operation, call }: BoundCall, binding: Binding): Promise<unknown> {
  const filter = findOrganizationMember(operation);
  if (filter === undefined) throw refuse(resource, name);
  const input = fillOrganization(operation, call.input as Input, binding);
  if (input[filter] !== binding.organizationId) return [];
  const records = (await operation.run({ ...call, input })) as unknown[];
  for (const record of records) checkAnswer(resource, record, binding);
  return records;
}

/** Every record that the path or the input names must belong to the organization, and at least one must be named. */
async function runChecked(
  { resource, name, operation, call }: BoundCall,
  binding: Binding,
): Promise<unknown> {
  const input = fillOrganization(operation, call.input as Input, binding);
  const named = listNamed(operation, input);
  if (name !== 'create') named.unshift({ kind: resource.name, id: call.id });
  if (named.length === 0) throw refuse(resource, name);
  for (const { kind, id } of named) {
    const other = kind === resource.name ? resource : binding.resources.find((each) => each.name === kind);
    if (!other?.owner) throw refuse(resource, name);
    await checkOwner({ resource: other, id, ports: call }, binding);
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

/** The last check, in case a definition checks the wrong record: throws instead of sending the response. */
function checkAnswer({ name }: AnyResource, record: unknown, { organizationId }: Binding): void {
  const { id, organizationId: owner = id } = record as { id?: string; organizationId?: string };
  if (owner !== organizationId) throw new Error(`a ${name} of another organization was about to be sent`);
}

/** The member of an input that names the organization. */
function findOrganizationMember({ input }: AnyOperation): string | undefined {
  return Object.keys(input).find((name) => input[name]?.type.refersTo === 'organization');
}

function fillOrganization(operation: AnyOperation, input: Input, { organizationId }: Binding): Input {
  const member = findOrganizationMember(operation);
  return member === undefined || input[member] !== undefined ? input : { ...input, [member]: organizationId };
}

function listNamed({ input: fields }: AnyOperation, input: Input): NamedRecord[] {
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
