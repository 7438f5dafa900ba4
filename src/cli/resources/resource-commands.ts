import { Argument, type Command, Option } from 'commander';
import type { InputFields, Naming, Operation, Resource, ResourceCommand, ResourcePorts, Stores } from '#app';
import { RESOURCES, loadSettings, loadByokTerms, perform } from '#app';
import { GatewayError } from '#errors';
import { type CommonOptions, defineCommand, defineGroup, toOrigin } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { getOrganizationId, getProjectId, withStores } from '../terminal/with-stores.ts';
import { formatRecords } from './format-records.ts';
import { type Given, addInput, readInput } from './input-options.ts';

type AnyResource = Resource<ResourcePorts>;

/** The group of commands of everything that is administered, with those of `besides` in the same group. */
export function createResourceGroups(besides: Readonly<{ [group: string]: readonly Command[] }>): Command[] {
  return RESOURCES.map((resource) => {
    const { group, summary, commands } = resource.commands;
    const made = commands.map((command) => createCommand(resource, command));
    return defineGroup(group, summary, [...made, ...(besides[group] ?? [])]);
  });
}

function createCommand(resource: AnyResource, spec: ResourceCommand): Command {
  const { group, naming } = resource.commands;
  const operation = resource.operations[spec.does];
  if (!operation) throw new Error(`${group} ${spec.name} does nothing that a ${resource.name} has`);
  const { name, summary = operation.summary, examples } = spec;
  const command = defineCommand({ name, summary, examples });
  const fields = pickFields(operation, spec);
  const isOfOne = spec.does !== 'create' && spec.does !== 'list';
  if (isOfOne) addNaming(command, naming);
  for (const field of Object.values(fields)) addInput(command, field);
  return command.action(async (...words: unknown[]) => {
    const options = command.opts<CommonOptions & { org?: string }>();
    const named = isOfOne && isArgument(naming) ? String(words.shift()) : options.org;
    const given = { ...(await readInput(command, fields, words)), ...spec.sets };
    const { result, json } = await withStores(options, async (stores) => {
      const id = isOfOne ? await findId(stores, resource, named ?? '', options.org) : '';
      const input = { ...given, ...(await fillFirst(stores, fields, given)) };
      return perform(resource, operation, { ...createPorts(options, stores), id, input, page: {} });
    });
    print(options, json, () =>
      spec.says ? spec.says(result) : formatRecords(resource, result as readonly object[]),
    );
  });
}

const isArgument = ({ as }: Naming): boolean => !as.startsWith('-');

function pickFields({ input }: Operation, { takes, sets = {} }: ResourceCommand): InputFields {
  const fields = Object.entries(input).filter(
    ([name]) => (takes?.includes(name) ?? true) && !Object.hasOwn(sets, name),
  );
  return Object.fromEntries(fields);
}

function addNaming(command: Command, naming: Naming): void {
  const { as, help, is } = naming;
  if (is) command.option('--org <id>', 'the organization (default: the first)');
  if (isArgument(naming)) command.addArgument(new Argument(as, help));
  else command.addOption(new Option(as, help).makeOptionMandatory());
}

function createPorts(options: CommonOptions, { accounts: { directory } }: Stores): ResourcePorts {
  const origin = toOrigin(options);
  return {
    directory,
    plans: async () => (await loadSettings(origin)).plans,
    byokTerms: () => loadByokTerms(origin),
  };
}

/** The id of what a command names: by its id, or by a name within an organization. */
async function findId(
  stores: Stores,
  { name, operations, commands: { naming } }: AnyResource,
  ...[named, org]: [named: string, org: string | undefined]
): Promise<string> {
  if (!naming.is) return named;
  const { directory } = stores.accounts;
  const organizationId = await getOrganizationId(stores, org);
  const call = { directory, id: '', input: { organizationId }, page: {} } as unknown as Parameters<
    NonNullable<typeof list>['run']
  >[0];
  const list = operations['list'];
  const all = ((await list?.run(call)) ?? []) as { id: string }[];
  const found = all.find((each) => naming.is?.(each, named));
  if (found) return found.id;
  const missing = name.replaceAll('_', ' ');
  throw new GatewayError('not_found', `there is no such ${missing}`, { missing });
}

/** The first organization or project, where none was typed and that is what is meant then. */
async function fillFirst(stores: Stores, fields: InputFields, given: Given): Promise<Given> {
  const filled: Given = {};
  for (const [name, { typing }] of Object.entries(fields)) {
    if (typing?.first === undefined || given[name] !== undefined) continue;
    filled[name] = await (typing.first === 'project' ? getProjectId : getOrganizationId)(stores, undefined);
  }
  return filled;
}
