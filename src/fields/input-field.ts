import type { JsonObject } from '#base';
import { type InputType, wireNameOf } from './field-type.ts';

/** How the command line takes a member of a request. */
export interface CliField {
  /** Commander's flags of an option (`--limit <usd>`), or the name of an argument (`<usd>`). */
  flags: string;
  help: string;
  /** An earlier name of the option, which is refused with the present one. */
  formerly?: `--${string}`;
  /** For a total: the command of the same group, or the option, that takes an amount per period. */
  perPeriod?: string;
  /** The default value, and how the help shows it. */
  fallback?: { value: unknown; shown?: string };
  /** The maximum of the option, if it differs from the request. */
  most?: number;
  /** The word for null; `none` by default. */
  nullWord?: string;
  /** Defaults to the first organization of the installation, or its first project. */
  defaultsTo?: 'organization' | 'project';
  /** Other members that this option sets, like commander's `implies`. */
  implies?: Readonly<{ [member: string]: unknown }>;
  /** Other options for the same member. */
  alternatives?: readonly Pick<CliField, 'flags' | 'help' | 'implies'>[];
  /** Options that set a value: `--now` for 0. */
  shortcuts?: Readonly<{ [option: `--${string}`]: { value: unknown; help: string } }>;
}

/** A member of a request. */
export interface InputField<Value = unknown, Optional extends boolean = boolean> {
  type: InputType<Value>;
  isOptional: Optional;
  /** For a past time: how many days ago it is by default. */
  usualDays?: number;
  /** For a filter: its description in OpenAPI. A filter without one is only for commands. */
  description?: string;
  cli?: CliField;
}

export type InputFields = Readonly<{ [name: string]: InputField }>;

/** A required member. Commands take it only with `cli`. */
export const required = <Value>(type: InputType<Value>, cli?: CliField): InputField<Value, false> => ({
  type,
  isOptional: false,
  ...(cli && { cli }),
});

/** An optional member. Commands take it only with `cli`. */
export const optional = <Value>(type: InputType<Value>, cli?: CliField): InputField<Value, true> => ({
  type,
  isOptional: true,
  ...(cli && { cli }),
});

/** A filter of a list. With an empty description it is only for commands; a string is short for `{ flags, help: description }`. */
export const filter = <Value>(
  type: InputType<Value>,
  description: string,
  cli?: CliField | string,
): InputField<Value, true> => ({
  ...optional(type, typeof cli === 'string' ? { flags: cli, help: toHelp(description) } : cli),
  ...(description !== '' && { description }),
});

/** A filter that a request must set. */
export const requiredFilter = <Value>(
  type: InputType<Value>,
  description: string,
  cli?: CliField,
): InputField<Value, false> => ({ ...required(type, cli), description });

/** `Only keys of this project.` → `only keys of this project` */
function toHelp(description: string): string {
  return description.charAt(0).toLowerCase() + description.slice(1).replace(/\.$/, '').replaceAll('`', '"');
}

type ValueOf<Field> = Field extends InputField<infer Value> ? Value : never;

/** The decoded members of a request. */
export type Input<Fields extends InputFields> = {
  [Name in keyof Fields as Fields[Name] extends InputField<unknown, false> ? Name : never]: ValueOf<
    Fields[Name]
  >;
} & {
  [Name in keyof Fields as Fields[Name] extends InputField<unknown, false> ? never : Name]?: ValueOf<
    Fields[Name]
  >;
};

/** Decodes the members of a request that fits its schema; absent members stay absent. */
export function decodeInput(fields: InputFields, given: JsonObject): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, { type }] of Object.entries(fields)) {
    const wireName = wireNameOf(name, type);
    const value = given[wireName];
    if (value !== undefined) input[name] = type.decode(value, wireName);
  }
  return input;
}
