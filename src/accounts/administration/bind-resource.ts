import { GatewayError } from '#errors';
import { createNotFound } from '../read-input.ts';
import type { OperationCall } from '../resource/resource.ts';
import type { AnyOperation, AnyResource, ResourcePorts } from '../resources.ts';

type Call = OperationCall<ResourcePorts>;
type Input = Readonly<Record<string, unknown>>;

/**
 * The organization and, if any, the member that a caller is bound to, and all resources, whose ids an operation can name.
 */
interface Binding {
  organizationId: string;
  memberId?: string;
  resources: readonly AnyResource[];
}

/** A record that an operation names: its kind and its id. */
interface NamedRecord {
  kind: string;
  id: string;
}

/**
 * The resource for an admin key that is bound to one organization: records of others do not exist for it. An operation
 * whose definition does not show which organization it is about is refused. For a member, records of other members do
 * not exist either, and only operations that are meant for members are left.
 */
export function bindResource(resource: AnyResource, binding: Binding): AnyResource {
  const bound = Object.entries(resource.operations).map(([name, operation]) => {
    const run = name === 'list' ? runList : runChecked;
    const guarded = (call: Call): Promise<unknown> => {
      if (binding.memberId !== undefined && operation.isForMembers !== true) throw createNotForMembers();
      return run({ resource, name, operation, call }, binding);
    };
    return [name, { ...operation, run: guarded }];
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
  const filters = listFilters(operation, binding);
  if (!filters) throw refuse(resource, name);
  const input = { ...filters, ...(call.input as Input) };
  if (Object.entries(filters).some(([member, own]) => input[member] !== own)) return [];
  const records = (await operation.run({ ...call, input })) as unknown[];
  for (const record of records) checkAnswer(resource, record, binding);
  return records;
}

/** Every record that the path or the input names must belong to the organization, and at least one must be named. */
async function runChecked(
  { resource, name, operation, call }: BoundCall,
  binding: Binding,
): Promise<unknown> {
  if (operation.isForUnbound === true) throw refuse(resource, name);
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
  { organizationId, memberId }: Binding,
): Promise<void> {
  const { owner } = resource;
  const record = typeof owner === 'function' ? await owner(ports, id) : { organizationId: id };
  if (record.organizationId === organizationId && isOfMember(resource, record, memberId)) return;
  throw createNotFound(typeof owner === 'function' ? resource.name.replaceAll('_', ' ') : 'organization');
}

/** The last check, in case a definition checks the wrong record: throws instead of sending the response. */
function checkAnswer(resource: AnyResource, record: unknown, { organizationId, memberId }: Binding): void {
  const { id, organizationId: owner = id } = record as { id?: string; organizationId?: string };
  const { name } = resource;
  if (owner !== organizationId) throw new Error(`a ${name} of another organization was about to be sent`);
  if (!isOfMember(resource, record, memberId))
    throw new Error(`a ${name} of another member was about to be sent`);
}

/** Whether a record belongs to the member that a caller is bound to, if it is bound to one. */
function isOfMember({ memberOf }: AnyResource, record: unknown, memberId: string | undefined): boolean {
  return memberId === undefined || memberOf?.(record) === memberId;
}

/** The filters of a list that bind it; undefined if it lacks one. */
function listFilters(
  operation: AnyOperation,
  { organizationId, memberId }: Binding,
): Record<string, string> | undefined {
  const organization = findReference(operation, 'organization');
  const member = memberId === undefined ? undefined : findReference(operation, 'member');
  if (organization === undefined || (memberId !== undefined && member === undefined)) return undefined;
  return {
    [organization]: organizationId,
    ...(member !== undefined && memberId !== undefined && { [member]: memberId }),
  };
}

/** The field of an input that names a record of a kind. */
function findReference({ input }: AnyOperation, kind: 'organization' | 'member'): string | undefined {
  return Object.keys(input).find((name) => input[name]?.type.refersTo === kind);
}

function fillOrganization(operation: AnyOperation, input: Input, { organizationId }: Binding): Input {
  const member = findReference(operation, 'organization');
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

/** The error for a session that is bound to a member, where an operation is not meant for members. */
export function createNotForMembers(): GatewayError {
  return new GatewayError('role_not_allowed', 'the role member can access only its own keys and requests');
}
