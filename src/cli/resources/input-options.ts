import type { CliField, InputField, InputFields } from '#fields';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { readSecretInput } from '#app';
import { isPerPeriod } from '../terminal/read-amount.ts';
import { readSince } from '../terminal/read-time.ts';
import { isNameOption } from '../terminal/find-id.ts';
import { DEFAULT_VARIABLE, addKeyOptions, getKey } from '../terminal/key-input.ts';
import { type Reader, findReader, listParts } from './typed-values.ts';
import { Misuse } from '../terminal/misuse.ts';

/** Values from the command line, by the members of the input. */
export type InputValues = { [name: string]: unknown };

/** The word for null. */
const NONE = 'none';

/** Adds the options or the argument of a member of the input. */
export function addInput(command: Command, field: InputField): void {
  const { type, cli, isOptional } = field;
  for (const { flags, help, read } of listParts(type)) command.option(flags, help, read);
  if (type.valueKind === 'secret') addKeyOptions(command, isOptional ? '' : DEFAULT_VARIABLE);
  if (!cli) return;
  if (isArgument(cli)) command.addArgument(createArgument(command, field, cli));
  else command.addOption(createOption(command, field, cli));
  if (cli.formerly) command.addOption(createFormer(cli.formerly, cli));
  for (const { flags, help } of cli.alternatives ?? []) command.option(flags, help);
  for (const [flags, { help }] of Object.entries(cli.shortcuts ?? {})) command.option(flags, help);
}

const isArgument = ({ flags }: Pick<CliField, 'flags'>): boolean => !flags.startsWith('-');

function createArgument(command: Command, { type }: InputField, cli: CliField): Argument {
  const { flags, help } = cli;
  const argument = new Argument(flags, help);
  if (type.choices) return argument.choices([...type.choices]);
  const read = createReader(command, type, cli);
  return read ? argument.argParser(read) : argument;
}

function createOption(command: Command, field: InputField, cli: CliField): Option {
  const { type, isOptional } = field;
  const { flags, help, defaultsTo } = cli;
  const fallback = findFallback(field, cli);
  const option = new Option(flags, help);
  const read = createReader(command, type, cli);
  if (type.choices) option.choices([...type.choices]);
  else if (read && type.valueKind !== 'flag') option.argParser(read);
  if (fallback) return option.default(fallback.value, fallback.shown);
  return option.makeOptionMandatory(
    !isOptional && defaultsTo === undefined && cli.alternatives === undefined,
  );
}

/** The value where none is given, and how the help shows it. */
function findFallback({ usualDays }: InputField, { fallback }: CliField): CliField['fallback'] {
  if (usualDays === undefined) return fallback;
  const shown = `${usualDays}d`;
  return { value: readSince(shown), shown };
}

/** An amount per period in place of a total is refused with what takes it. */
function createReader(
  command: Command,
  type: InputField['type'],
  { perPeriod, nullWord = NONE, most }: CliField,
): Reader | undefined {
  const read = findReader({ ...type, ...(most !== undefined && { most }) }, nullWord);
  if (!read || perPeriod === undefined) return read;
  return (text) => {
    if (!isPerPeriod(text)) return read(text);
    const isOption = perPeriod.startsWith('-');
    const words = isOption ? perPeriod : `npx sluice ${command.parent?.name()} ${perPeriod} ID`;
    throw new InvalidArgumentError(`This limit is a total. For one per period, write: ${words} ${text}`);
  };
}

function createFormer(formerly: string, { flags }: CliField): Option {
  return new Option(`${formerly} <value>`).hideHelp().argParser(() => {
    throw new InvalidArgumentError(`It is ${nameOf(flags)} now.`);
  });
}

/** Reads each member that was given; takes the arguments from `words`. */
export async function readInput(
  command: Command,
  fields: InputFields,
  words: unknown[],
): Promise<InputValues> {
  const given: InputValues = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = await readField(command, field, words);
    if (value !== undefined) given[name] = value;
    if (field.cli) Object.assign(given, findChosen(command, field.cli)?.implies);
  }
  return given;
}

async function readField(command: Command, field: InputField, words: unknown[]) {
  const { type, cli } = field;
  const parts = listParts(type);
  if (parts.length > 0) {
    const members = parts.map(({ flags, member }) => [member, optionOf(command, flags)] as const);
    const typed = members.filter(([, value]) => value !== undefined);
    if (typed.length === 0) return undefined;
    return Object.fromEntries(typed.map(([member, value]) => [member, value === NONE ? null : value]));
  }
  if (type.valueKind === 'secret') return readSecret(command, field.isOptional);
  if (!cli) return undefined;
  const value = isArgument(cli) ? words.shift() : readOption(command, field, cli);
  if (type.isNullable === true && value === (cli.nullWord ?? NONE)) return null;
  return type.valueKind === 'texts' ? splitEach(value) : value;
}

async function readSecret(command: Command, isOptional: boolean): Promise<string | undefined> {
  const options = command.opts<{ keyStdin?: boolean; keyEnv?: string }>();
  if (!isOptional) return getKey(options);
  const isGiven = options.keyStdin === true || options.keyEnv !== undefined;
  return isGiven ? readSecretInput(options) : undefined;
}

function readOption(command: Command, field: InputField, cli: CliField): unknown {
  const { flags, alternatives = [], shortcuts = {} } = cli;
  for (const [option, { value }] of Object.entries(shortcuts))
    if (optionOf(command, option) === true && !option.startsWith('--no-')) return value;
  const options = [flags, ...alternatives.map((other) => other.flags)];
  const given = options.filter((option) => optionOf(command, option) !== undefined);
  if (given.length > 1 || (given.length === 0 && alternatives.length > 0 && !field.isOptional))
    throw new Misuse(`name one of ${listNames(options)}`);
  return given[0] === undefined ? findFallback(field, cli)?.value : optionOf(command, given[0]);
}

/** The option that was given for a member. */
function findChosen(command: Command, cli: CliField): Pick<CliField, 'flags' | 'implies'> | undefined {
  return [cli, ...(cli.alternatives ?? [])].find(
    (option) => !isArgument(option) && optionOf(command, option.flags) !== undefined,
  );
}

/** The members whose options name records, with the ids of these. */
export function pickIds(command: Command, fields: InputFields, known: object): InputValues {
  const ids: InputValues = {};
  for (const [name, { cli }] of Object.entries(fields)) {
    const chosen = cli && findChosen(command, cli);
    if (!chosen || !isNameOption(chosen.flags)) continue;
    ids[name] = Reflect.get(known, new Option(chosen.flags).attributeName()) as string;
  }
  return ids;
}

/** `--org, --project and --key` */
function listNames(options: readonly string[]): string {
  const names = options.map(nameOf);
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

const nameOf = (flags: string): string => flags.split(' ', 1)[0] ?? flags;

/** The value of an option that was given; commander sets `--no-…` options by itself. */
function optionOf(command: Command, flags: string): unknown {
  const name = new Option(flags).attributeName();
  return command.getOptionValueSource(name) === 'cli' ? command.getOptionValue(name) : undefined;
}

function splitEach(value: unknown): unknown {
  return Array.isArray(value) ? value.flatMap((text: string) => text.split(',')) : value;
}
