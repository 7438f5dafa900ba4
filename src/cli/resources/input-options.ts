import { Argument, type Command, Option } from 'commander';
import type { InputField, InputFields, Typing } from '#app';
import { readSecretInput } from '#app';
import { DEFAULT_VARIABLE, addKeyOptions, getKey } from '../terminal/key-input.ts';
import { findReader, listParts } from './typed-values.ts';

/** What was typed, by the members of the input. */
export type Given = { [name: string]: unknown };

/** The word for no value. */
const NONE = 'none';

/** Adds what a member of the input is typed as: options, or an argument. */
export function addInput(command: Command, field: InputField): void {
  const { type, typing, isOptional } = field;
  for (const { as, help, read } of listParts(type)) command.option(as, help, read);
  if (type.typed === 'secret') addKeyOptions(command, isOptional ? '' : DEFAULT_VARIABLE);
  if (!typing) return;
  if (isArgument(typing)) command.addArgument(createArgument(field, typing));
  else command.addOption(createOption(field, typing));
  for (const { as, help } of typing.or ?? []) command.option(as, help);
  for (const [as, { help }] of Object.entries(typing.shortcuts ?? {})) command.option(as, help);
}

const isArgument = ({ as }: Pick<Typing, 'as'>): boolean => !as.startsWith('-');

function createArgument({ type }: InputField, { as, help, none = NONE }: Typing): Argument {
  const argument = new Argument(as, help);
  if (type.words) return argument.choices([...type.words]);
  const read = findReader(type, none);
  return read ? argument.argParser(read) : argument;
}

function createOption({ type, isOptional }: InputField, typing: Typing): Option {
  const { as, help, fallback, first, none = NONE } = typing;
  const option = new Option(as, help);
  const read = findReader(type, none);
  if (type.words) option.choices([...type.words]);
  else if (read) option.argParser(read);
  if (fallback) return option.default(fallback.value, fallback.shown);
  return option.makeOptionMandatory(!isOptional && first === undefined && typing.or === undefined);
}

/** What was typed of each member; `words` are the arguments that are left. */
export async function readInput(command: Command, fields: InputFields, words: unknown[]): Promise<Given> {
  const given: Given = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = await readField(command, field, words);
    if (value !== undefined) given[name] = value;
    if (field.typing) Object.assign(given, findChosen(command, field.typing)?.sets);
  }
  return given;
}

async function readField(command: Command, { type, typing, isOptional }: InputField, words: unknown[]) {
  const parts = listParts(type);
  if (parts.length > 0) {
    const members = parts.map(({ as, member }) => [member, optionOf(command, as)] as const);
    const typed = members.filter(([, value]) => value !== undefined);
    if (typed.length === 0) return undefined;
    return Object.fromEntries(typed.map(([member, value]) => [member, value === NONE ? null : value]));
  }
  if (type.typed === 'secret') return readSecret(command, isOptional);
  if (!typing) return undefined;
  const value = isArgument(typing) ? words.shift() : readOption(command, typing, isOptional);
  if (type.isNullable === true && value === (typing.none ?? NONE)) return null;
  return type.typed === 'texts' ? splitEach(value) : value;
}

async function readSecret(command: Command, isOptional: boolean): Promise<string | undefined> {
  const options = command.opts<{ keyStdin?: boolean; keyEnv?: string }>();
  if (!isOptional) return getKey(options);
  const isGiven = options.keyStdin === true || options.keyEnv !== undefined;
  return isGiven ? readSecretInput(options) : undefined;
}

function readOption(command: Command, typing: Typing, isOptional: boolean): unknown {
  const { as, or = [], fallback, shortcuts = {} } = typing;
  for (const [option, { value }] of Object.entries(shortcuts))
    if (optionOf(command, option) === true && !option.startsWith('--no-')) return value;
  const options = [as, ...or.map((other) => other.as)];
  const given = options.filter((option) => optionOf(command, option) !== undefined);
  if (given.length > 1 || (given.length === 0 && or.length > 0 && !isOptional))
    throw new Error(`name one of ${listNames(options)}`);
  return given[0] === undefined ? fallback?.value : optionOf(command, given[0]);
}

/** The option of a member that was given. */
function findChosen(command: Command, typing: Typing): Pick<Typing, 'as' | 'sets'> | undefined {
  return [typing, ...(typing.or ?? [])].find(
    (option) => !isArgument(option) && optionOf(command, option.as) !== undefined,
  );
}

/** `--org, --project and --key` */
function listNames(options: readonly string[]): string {
  const names = options.map(nameOf);
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

const nameOf = (as: string): string => as.split(' ', 1)[0] ?? as;

/** What was typed as an option; commander itself gives `--no-…` a value. */
function optionOf(command: Command, as: string): unknown {
  const name = new Option(as).attributeName();
  return command.getOptionValueSource(name) === 'cli' ? command.getOptionValue(name) : undefined;
}

function splitEach(value: unknown): unknown {
  return Array.isArray(value) ? value.flatMap((text: string) => text.split(',')) : value;
}
