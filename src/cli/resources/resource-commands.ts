import type { InputFields, RecordNames } from '#fields';
import { Argument, type Command, Option } from 'commander';
import type { AnyResource, CommandTarget, Operation, ResourceCommand, ResourcePorts } from '#app';
import { RESOURCES, perform } from '#app';
import { GatewayError } from '#errors';
import { type CommonOptions, defineCommand, defineGroup } from '../terminal/command.ts';
import { findNamedId, isNameOption, isNamed } from '../terminal/find-id.ts';
import { readNames } from '../terminal/names.ts';
import { print, remark } from '../terminal/output.ts';
import { readWhole } from '../terminal/read-amount.ts';
import { getOrganizationId, getProjectId, withPorts } from '../terminal/with-stores.ts';
import { formatRecords, listNamed } from './format-records.ts';
import { type InputValues, addInput, pickIds, readInput } from './input-options.ts';
import { Misuse } from '../terminal/misuse.ts';

interface ResourceOptions extends CommonOptions {
  org?: string;
  after?: string;
  limit?: number;
}

/** The command groups of all resources. `more` adds commands to a group; a group that has its name as only command is that command. */
export function createResourceGroups(more: Readonly<{ [group: string]: readonly Command[] }>): Command[] {
  return RESOURCES.flatMap((resource) => {
    const { group: usual, summary: ownSummary, otherGroups: others, commands: specs } = resource.commands;
    return Object.entries({ [usual]: ownSummary, ...others }).map(([group, summary]) => {
      const built = specs
        .filter((spec) => (spec.group ?? usual) === group)
        .map((spec) => createCommand(resource, spec));
      const [alone] = built;
      if (alone?.name() === group) return alone;
      const all = defineGroup(group, summary, [...built, ...(more[group] ?? [])]);
      if (group === usual) addReplaced(all, resource.commands.replaced);
      return all;
    });
  });
}

/** Commands of earlier versions, which name their successors. */
function addReplaced(group: Command, replaced: Readonly<{ [name: string]: string }> = {}): void {
  for (const [name, successors] of Object.entries(replaced)) {
    const example = `${group.name()} ${name} …`;
    const command = defineCommand({ name, summary: `Replaced by ${successors}.`, examples: [example] });
    command.argument('[words...]').allowUnknownOption();
    command.action(() => {
      throw new Misuse(`\`${group.name()} ${name}\` is replaced by ${successors}`);
    });
    group.addCommand(command, { hidden: true });
  }
}

function createCommand(resource: AnyResource, spec: ResourceCommand<ResourcePorts>): Command {
  const { group } = resource.commands;
  const target = spec.target ?? resource.commands.target;
  const operation = resource.operations[spec.operation];
  if (!operation)
    throw new Error(`${group} ${spec.name}: a ${resource.name} has no operation ${spec.operation}`);
  const { name, summary = operation.summary, examples } = spec;
  const command = defineCommand({ name, summary, examples });
  if (spec.notes) command.addHelpText('after', `\n${spec.notes.join('\n')}`);
  const fields = pickFields(operation, spec);
  const hasTarget = spec.operation !== 'create' && spec.operation !== 'list';
  if (hasTarget) addTarget(command, target);
  for (const field of Object.values(fields)) addInput(command, field);
  const isPaged = operation.kind === 'page';
  if (isPaged) addPaging(command, spec.pageSize);
  return command.action(async (...words: unknown[]) => {
    const options = command.opts<ResourceOptions>();
    const named = hasTarget ? readTarget(command, target, words) : undefined;
    const typed = await readInput(command, fields, words);
    const given = { ...(spec.prepare?.(typed) ?? typed), ...spec.fixed };
    const { result, json, names, remarks } = await withPorts(options, operation, async (ports, known) => {
      const id = hasTarget ? await findId(ports, { resource, target, named }, known) : '';
      const ids = pickIds(command, fields, known);
      const input = { ...given, ...ids, ...(await fillDefaults(ports, fields, given)) };
      const page = isPaged ? readPage(options) : {};
      const answered = await perform(resource, spec.operation, { ...ports, id, input, page });
      if (isPaged && operation.local !== 'configuration' && isEmpty(answered.result))
        await ports.directory.requireKnown(input);
      const names = options.json === true ? undefined : await nameOthers(ports, resource, answered.result);
      return { ...answered, names, remarks: (await spec.remarks?.(answered.result, ports)) ?? [] };
    });
    print(options, json, () => formatResult(resource, spec, { result, names }));
    for (const text of remarks) remark(text);
  });
}

const isEmpty = (result: unknown): boolean => Array.isArray(result) && result.length === 0;

function formatResult(
  { commands, fields, operations }: AnyResource,
  { format, columns = commands.columns, operation }: ResourceCommand<ResourcePorts>,
  { result, names }: { result: unknown; names: RecordNames | undefined },
): readonly string[] {
  if (format) return format(result);
  const { empty, distinguishing = [] } = commands;
  const listing = { columns, empty, fields: operations[operation]?.fields ?? fields, distinguishing };
  return formatRecords({ ...listing, ...(names && { names }) }, result as readonly object[]);
}

/** The names of the records that the records of a list refer to. */
async function nameOthers(
  { directory }: ResourcePorts,
  { commands }: AnyResource,
  result: unknown,
): Promise<RecordNames | undefined> {
  const ids = Array.isArray(result) ? listNamed(commands.columns, result as object[]) : [];
  return ids.length === 0 ? undefined : readNames(directory, ids);
}

const isArgument = ({ flags }: CommandTarget): boolean => !flags.startsWith('-');

function readTarget(command: Command, target: CommandTarget, words: unknown[]): string | undefined {
  if (isArgument(target)) return String(words.shift());
  const { flags } = target;
  return command.getOptionValue(new Option(flags).attributeName()) as string | undefined;
}

function pickFields(
  { input }: Operation,
  { inputs, fixed = {} }: ResourceCommand<ResourcePorts>,
): InputFields {
  const fields = Object.entries(input).filter(
    ([name]) => (inputs?.includes(name) ?? true) && !Object.hasOwn(fixed, name),
  );
  return Object.fromEntries(
    fields.map(([name, field]) => [name, inputs ? { ...field, isOptional: false } : field]),
  );
}

function addTarget(command: Command, target: CommandTarget): void {
  const { flags, help, matches, defaultsTo } = target;
  if (matches) command.option('--org <id>', 'the organization (default: the first)');
  if (isArgument(target)) command.addArgument(new Argument(flags, help));
  else command.addOption(new Option(flags, help).makeOptionMandatory(defaultsTo === undefined));
}

const MOST_OF_PAGE = 1_000;

function addPaging(command: Command, pageSize: number | undefined): void {
  command
    .option('--after <id>', 'only entries after this one')
    .option(
      '--limit <n>',
      `how many at most${pageSize === undefined ? ' (default: all)' : ''}`,
      readWhole(1, MOST_OF_PAGE),
      pageSize,
    );
}

/** Reads one more than it shows, as `perform` expects. */
function readPage({ after, limit }: ResourceOptions): { after?: string; limit?: number } {
  return { ...(after !== undefined && { after }), ...(limit !== undefined && { limit: limit + 1 }) };
}

/** The id of a command's target, which is named by its id, or by a name within an organization. */
async function findId(
  ports: ResourcePorts,
  { resource, target, named }: { resource: AnyResource; target: CommandTarget; named: string | undefined },
  options: ResourceOptions,
): Promise<string> {
  const isOption = !isArgument(target) && isNameOption(target.flags);
  const text = isOption
    ? (Reflect.get(options, new Option(target.flags).attributeName()) as string | undefined)
    : named;
  if (target.defaultsTo) return getProjectId(ports.directory, text);
  if (!target.matches && text !== undefined && !isOption && isNamed(resource))
    return findNamedId(ports, resource, { text });
  if (!target.matches || named === undefined) return text ?? '';
  const organizationId = await getOrganizationId(ports.directory, options.org);
  const call = { ...ports, id: '', input: { organizationId }, page: {} };
  const { result } = await perform(resource, 'list', call);
  const found = (result as { id: string }[]).find((each) => target.matches?.(each, named));
  if (found) return found.id;
  const missing = resource.name.replaceAll('_', ' ');
  throw new GatewayError('not_found', `there is no such ${missing}`, { missing });
}

/** Members that default to the first organization or project. */
async function fillDefaults(
  { directory }: ResourcePorts,
  fields: InputFields,
  given: InputValues,
): Promise<InputValues> {
  const filled: InputValues = {};
  for (const [name, { cli }] of Object.entries(fields)) {
    if (cli?.defaultsTo === undefined || given[name] !== undefined) continue;
    filled[name] = await (cli.defaultsTo === 'project' ? getProjectId : getOrganizationId)(
      directory,
      undefined,
    );
  }
  return filled;
}
