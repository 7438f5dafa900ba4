import { Argument, type Command, Option } from 'commander';
import type { InputFields, Naming, Operation, Resource, ResourceCommand, ResourcePorts } from '#app';
import { RESOURCES, perform } from '#app';
import { GatewayError } from '#errors';
import { type CommonOptions, defineCommand, defineGroup } from '../terminal/command.ts';
import { print, remark } from '../terminal/output.ts';
import { readWhole } from '../terminal/read-amount.ts';
import { getOrganizationId, getProjectId, withPorts } from '../terminal/with-stores.ts';
import { formatRecords } from './format-records.ts';
import { type Given, addInput, readInput } from './input-options.ts';
import { readBudget } from './typed-values.ts';

interface ResourceOptions extends CommonOptions {
  org?: string;
  after?: string;
  limit?: number;
}

type AnyResource = Resource<ResourcePorts>;

/** The group of commands of everything that is administered, with those of `besides`; one command of the group's own name is all of it. */
export function createResourceGroups(besides: Readonly<{ [group: string]: readonly Command[] }>): Command[] {
  return RESOURCES.flatMap((resource) => {
    const { group: usual, summary: ownSummary, besides: others, commands } = resource.commands;
    return Object.entries({ [usual]: ownSummary, ...others }).map(([group, summary]) => {
      const made = commands
        .filter((spec) => (spec.group ?? usual) === group)
        .map((spec) => createCommand(resource, spec));
      const [alone] = made;
      if (alone?.name() === group) return alone;
      return defineGroup(group, summary, [...made, ...(besides[group] ?? [])]);
    });
  });
}

function createCommand(resource: AnyResource, spec: ResourceCommand<ResourcePorts>): Command {
  const { group } = resource.commands;
  const naming = spec.naming ?? resource.commands.naming;
  const operation = resource.operations[spec.does];
  if (!operation) throw new Error(`${group} ${spec.name} does nothing that a ${resource.name} has`);
  const { name, summary = operation.summary, examples } = spec;
  const command = defineCommand({ name, summary, examples });
  if (spec.notes) command.addHelpText('after', `\n${spec.notes.join('\n')}`);
  const fields = pickFields(operation, spec);
  const isOfOne = spec.does !== 'create' && spec.does !== 'list';
  if (isOfOne) addNaming(command, naming);
  for (const field of Object.values(fields)) addInput(command, field);
  const isPaged = operation.kind === 'page';
  if (isPaged) addPaging(command, spec.pageSize);
  if (spec.takesBudget === true)
    command.argument('<usd...>', 'an amount of USD, an amount per period (5/day), both, or none', readBudget);
  return command.action(async (...words: unknown[]) => {
    const options = command.opts<ResourceOptions>();
    const named = isOfOne ? readName(command, naming, words) : undefined;
    const budget = spec.takesBudget === true ? (words.shift() as object) : {};
    const typed = { ...(await readInput(command, fields, words)), ...budget };
    const given = { ...(spec.prepare?.(typed) ?? typed), ...spec.sets };
    const { result, json, remarks } = await withPorts(options, operation, async (ports) => {
      const id = isOfOne ? await findId(ports, { resource, naming, named }, options) : '';
      const input = { ...given, ...(await fillFirst(ports, fields, given)) };
      const page = isPaged ? readPage(options) : {};
      const answered = await perform(resource, spec.does, { ...ports, id, input, page });
      return { ...answered, remarks: (await spec.remarks?.(answered.result, ports)) ?? [] };
    });
    print(options, json, () => formatResult(resource, spec, result));
    for (const text of remarks) remark(text);
  });
}

function formatResult(
  { commands, fields, operations }: AnyResource,
  { says, columns = commands.columns, does }: ResourceCommand<ResourcePorts>,
  result: unknown,
): readonly string[] {
  if (says) return says(result);
  const listing = { columns, empty: commands.empty, fields: operations[does]?.fields ?? fields };
  return formatRecords(listing, result as readonly object[]);
}

const isArgument = ({ as }: Naming): boolean => !as.startsWith('-');

function readName(command: Command, naming: Naming, words: unknown[]): string | undefined {
  if (isArgument(naming)) return String(words.shift());
  const { as } = naming;
  return command.getOptionValue(new Option(as).attributeName()) as string | undefined;
}

function pickFields({ input }: Operation, { takes, sets = {} }: ResourceCommand<ResourcePorts>): InputFields {
  const fields = Object.entries(input).filter(
    ([name]) => (takes?.includes(name) ?? true) && !Object.hasOwn(sets, name),
  );
  return Object.fromEntries(
    fields.map(([name, field]) => [name, takes ? { ...field, isOptional: false } : field]),
  );
}

function addNaming(command: Command, naming: Naming): void {
  const { as, help, is, first } = naming;
  if (is) command.option('--org <id>', 'the organization (default: the first)');
  if (isArgument(naming)) command.addArgument(new Argument(as, help));
  else command.addOption(new Option(as, help).makeOptionMandatory(first === undefined));
}

const MOST_OF_PAGE = 1_000;

function addPaging(command: Command, pageSize: number | undefined): void {
  command
    .option('--after <id>', 'only what comes after this entry in the list')
    .option(
      '--limit <n>',
      `how many at most${pageSize === undefined ? ' (default: all)' : ''}`,
      readWhole(1, MOST_OF_PAGE),
      pageSize,
    );
}

/** One more than is shown is read, as `perform` expects. */
function readPage({ after, limit }: ResourceOptions): { after?: string; limit?: number } {
  return { ...(after !== undefined && { after }), ...(limit !== undefined && { limit: limit + 1 }) };
}

/** The id of what a command names: by its id, or by a name within an organization. */
async function findId(
  ports: ResourcePorts,
  { resource, naming, named }: { resource: AnyResource; naming: Naming; named: string | undefined },
  options: ResourceOptions,
): Promise<string> {
  if (naming.first) return getProjectId(ports.directory, named);
  if (!naming.is || named === undefined) return named ?? '';
  const organizationId = await getOrganizationId(ports.directory, options.org);
  const call = { ...ports, id: '', input: { organizationId }, page: {} };
  const { result } = await perform(resource, 'list', call);
  const found = (result as { id: string }[]).find((each) => naming.is?.(each, named));
  if (found) return found.id;
  const missing = resource.name.replaceAll('_', ' ');
  throw new GatewayError('not_found', `there is no such ${missing}`, { missing });
}

/** The first organization or project, where none was typed and that is what is meant then. */
async function fillFirst({ directory }: ResourcePorts, fields: InputFields, given: Given): Promise<Given> {
  const filled: Given = {};
  for (const [name, { typing }] of Object.entries(fields)) {
    if (typing?.first === undefined || given[name] !== undefined) continue;
    filled[name] = await (typing.first === 'project' ? getProjectId : getOrganizationId)(
      directory,
      undefined,
    );
  }
  return filled;
}
