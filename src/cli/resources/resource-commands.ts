import { Argument, type Command, Option } from 'commander';
import type { InputFields, Naming, Operation, Resource, ResourceCommand, ResourcePorts, Stores } from '#app';
import { RESOURCES, loadSettings, loadByokTerms, perform } from '#app';
import { GatewayError } from '#errors';
import { type CommonOptions, defineCommand, defineGroup, toOrigin } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { getOrganizationId, getProjectId, withStores } from '../terminal/with-stores.ts';
import { formatRecords } from './format-records.ts';
import { type Given, addInput, readInput } from './input-options.ts';
import { readBudget } from './typed-values.ts';

interface OrganizationOptions extends CommonOptions {
  org?: string;
}

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
  if (spec.takesBudget === true)
    command.argument('<usd...>', 'an amount of USD, an amount per period (5/day), both, or none', readBudget);
  return command.action(async (...words: unknown[]) => {
    const options = command.opts<OrganizationOptions>();
    const named = isOfOne && isArgument(naming) ? String(words.shift()) : options.org;
    const budget = spec.takesBudget === true ? (words.shift() as object) : {};
    const typed = { ...(await readInput(command, fields, words)), ...budget };
    const given = { ...(spec.prepare?.(typed) ?? typed), ...spec.sets };
    const { result, json } = await withStores(options, async (stores) => {
      const id = isOfOne ? await findId(stores, resource, named ?? '', options) : '';
      const input = { ...given, ...(await fillFirst(stores, fields, given)) };
      return perform(resource, spec.does, { ...createPorts(options, stores), id, input, page: {} });
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
  resource: AnyResource,
  ...[named, options]: [named: string, options: OrganizationOptions]
): Promise<string> {
  const { naming } = resource.commands;
  if (!naming.is) return named;
  const organizationId = await getOrganizationId(stores, options.org);
  const ports = createPorts(options, stores);
  const call = { ...ports, id: '', input: { organizationId }, page: {} };
  const { result } = await perform(resource, 'list', call);
  const found = (result as { id: string }[]).find((each) => naming.is?.(each, named));
  if (found) return found.id;
  const missing = resource.name.replaceAll('_', ' ');
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
