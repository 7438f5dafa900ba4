import type { AdminCaller } from '../admin-key.ts';
import type { JsonObject } from '#base';
import type { BookPorts } from '../book-ports.ts';
import type { Page } from '../page.ts';
import type { InputType, ShownType } from './field-type.ts';

/** How a member of a request is typed on a command line. */
export interface Typing {
  /** An option such as `--limit <usd>`, or an argument such as `<usd>`. */
  as: string;
  help: string;
  /** The value where nothing is typed, and how the help writes it. */
  fallback?: { value: unknown; shown?: string };
  /** The word for null, unless `none`. */
  none?: string;
  /** Without it the first organization or project of the installation is meant. */
  first?: 'organization' | 'project';
  /** Other members that this option sets. */
  sets?: Readonly<{ [member: string]: unknown }>;
  /** Other options for the same member. */
  or?: readonly Pick<Typing, 'as' | 'help' | 'sets'>[];
  /** Options that set a value: `--now` for 0. */
  shortcuts?: Readonly<{ [option: `--${string}`]: { value: unknown; help: string } }>;
}

/** A member of a request. */
export interface InputField<Value = unknown, Optional extends boolean = boolean> {
  type: InputType<Value>;
  isOptional: Optional;
  /** Of a filter: what OpenAPI says of it; without it only commands have the filter. */
  description?: string;
  typing?: Typing;
}

export type InputFields = Readonly<{ [name: string]: InputField }>;

/** A member that a request must have; without `typing` a command does not take it. */
export const needed = <Value>(type: InputType<Value>, typing?: Typing): InputField<Value, false> => ({
  type,
  isOptional: false,
  ...(typing && { typing }),
});

/** A member that a request may have. */
export const maybe = <Value>(type: InputType<Value>, typing?: Typing): InputField<Value, true> => ({
  type,
  isOptional: true,
  ...(typing && { typing }),
});

/** A filter of a list; with an empty description only commands have it. */
export const filter = <Value>(
  type: InputType<Value>,
  description: string,
  typing?: Typing,
): InputField<Value, true> => ({ ...maybe(type, typing), ...(description !== '' && { description }) });

type ValueOf<Field> = Field extends InputField<infer Value> ? Value : never;

/** What a request says, decoded. */
export type Input<Fields extends InputFields> = {
  [Name in keyof Fields as Fields[Name] extends InputField<unknown, false> ? Name : never]: ValueOf<
    Fields[Name]
  >;
} & {
  [Name in keyof Fields as Fields[Name] extends InputField<unknown, false> ? never : Name]?: ValueOf<
    Fields[Name]
  >;
};

/** One request for an operation, decoded. `Ports`: the books it reaches, and what of the configuration it asks for. */
export type OperationCall<Ports, Values = unknown> = Ports & {
  /** Of the thing it is about; empty where there is none. */
  id: string;
  input: Values;
  /** Of a list: which part of it. */
  page: Page;
  /** The admin key that asks; absent on the command line. */
  caller?: AdminCaller;
};

/**
 * What an operation answers: the thing (`one`), the thing with its text that is shown this once (`secret`), a list of them
 * (`list`, or `page` where it is read in parts), or that it is gone (`gone`).
 */
type AnswerKind = 'one' | 'secret' | 'list' | 'page' | 'gone';

/** Something that can be done with a resource. */
export interface Operation<Ports = never> {
  summary: string;
  /** What the answer is, for OpenAPI. */
  answer: string;
  kind: AnswerKind;
  /** Members of the body; of a list its filters. */
  input: InputFields;
  /** A body as a request sends it, for OpenAPI and for tests, which put ids of their own in place of these. */
  example?: JsonObject;
  /** A filter that an admin key must give which is not bound to an organization. */
  requires?: string;
  /** Whether only commands have it: `configuration` if it uses no database. */
  local?: 'configuration' | 'database';
  /** Members of the answer, if not those of the resource; of a deletion those besides `deleted`. */
  fields?: ShownFields;
  run(call: OperationCall<Ports>): Promise<unknown>;
}

/** The members of an answer by the names of the record. */
export type ShownFields = Readonly<{ [name: string]: ShownType<unknown> }>;

/** A command that does an operation. */
export interface ResourceCommand<Ports = never, Thing = unknown, Member extends string = string> {
  /** Such as `rotate`. */
  name: string;
  does: string;
  /** Another group than that of the resource. */
  group?: string;
  /** How it names the thing, if not as the others do. */
  naming?: Naming;
  /** The summary of the operation unless given. */
  summary?: string;
  examples: readonly string[];
  /** The members of the input it takes, which it needs; all that the operation has unless given. */
  takes?: readonly string[];
  /** Members of the input it always sets. */
  sets?: Readonly<{ [name: string]: unknown }>;
  /** Whether it takes `<usd...>`: an amount as `limit`, one per period as `recurringLimit`, both, or none. */
  takesBudget?: boolean;
  /** How many of a paged list it shows unless `--limit` is given; all if absent. */
  pageSize?: number;
  /** Makes the input of what was typed, where one word says several members. */
  prepare?(given: { [name: string]: unknown }): { [name: string]: unknown };
  /** The columns of its list, if not those of the group. */
  columns?: Columns<Thing, Member>;
  /** Lines after the options in its help. */
  notes?: readonly string[];
  /** The answer as text; JSON has all of it. */
  says?(answer: Thing): readonly string[];
  /** Lines for the error output beside the answer. */
  remarks?(answer: Thing, ports: Ports): Promise<readonly string[]>;
}

/** The columns of a list by their headings. */
export type Columns<Thing = unknown, Member extends string = string> = Readonly<{
  [heading: string]: Cell<Thing, Member>;
}>;

/** How commands name one of the things of a resource. */
export interface Naming<Thing = unknown> {
  as: string;
  help: string;
  /** Without it the first one of the installation is meant. */
  first?: 'project';
  /** Where it is named within an organization instead of by its id: whether it has this name. */
  is?(record: Thing, name: string): boolean;
}

/** A member of the thing, or what is made of it. */
type Cell<Thing, Member> = Member | { make(record: Thing): string }['make'];

/** What some answers contain besides the thing. */
interface Told {
  /** The text of a credential, this once. */
  secret: string;
  /** Keys that a removal disabled. */
  disabledKeyIds: readonly string[];
}

/** The commands of a resource: `sluice <group> <name>`. */
export interface ResourceCommands<Ports = never, Thing = unknown, Member extends string = string> {
  group: string;
  summary: string;
  /** What other groups are for that its commands are in. */
  besides?: Readonly<{ [group: string]: string }>;
  naming: Naming<Thing>;
  /** Printed for an empty list. */
  empty: string;
  columns: Columns<Thing, Member>;
  commands: readonly ResourceCommand<Ports, Thing & Told, Member>[];
}

/** Values of a file by the names of their fields. */
export type FileValues = { [field: string]: unknown };

/** How the files of `apply` and `export` write a resource. */
export interface Declared {
  /** The resources whose entries contain it; absent at the top of a file. */
  within?: readonly string[];
  /** The list that contains its entries; absent if its fields are fields of the entry it is in, and change together. */
  list?: string;
  /** The field that names an entry within its list; absent if entries have no identity, such as rules. */
  name?: string;
  /** In the order of the file: the fields that each operation sets. Those of `create` alone never change. */
  fields: Readonly<{ [operation: string]: readonly string[] }>;
  /** Checks an entry without a name; throws `invalid_request`. */
  check?(values: FileValues, within: string): FileValues;
  /** Fields that do not apply beside these values. */
  listUnused?(values: FileValues): readonly string[];
  /** Fields that change together, as a preview shows them. */
  describe?(values: FileValues): string;
}

/** One kind of thing that is administered: its HTTP endpoints and commands are made from this. */
export interface Resource<Ports = never, Thing = unknown, Member extends string = string> {
  /** As JSON names it: `custom_model`. */
  name: string;
  /** Below `/admin/v1/`; with `{id}` where it is a part of another thing. */
  path: string;
  /** The area of the admin scope that its endpoints ask for. */
  scope: 'accounts' | 'money' | 'admin_keys' | 'audit';
  /**
   * Whose one of them is: the organization of its record, read by its id (throws `not_found`), or `id` where that is the
   * organization's. Absent: only admin keys of all organizations reach it.
   */
  owner?: 'id' | ((ports: Ports, id: string) => Promise<{ organizationId?: string }>);
  /** What answers say of it, after `object` and `id`. */
  fields: ShownFields;
  /** `create`, `list`, `get`, `update`, `remove`, and actions under names of their own. */
  operations: Readonly<{ [name: string]: Operation<Ports> }>;
  commands: ResourceCommands<Ports, Thing, Member>;
  /** Absent: no part of a file. */
  declares?: Declared;
}

/** The part of the directory that a resource brings: its reads and changes of the database. */
export interface Opens<Book extends object> {
  book(ports: BookPorts): Book;
}

type OperationSpec<Ports, Fields extends InputFields> = Omit<Operation<Ports>, 'input' | 'run'> & {
  input: Fields;
  run(call: OperationCall<Ports, Input<Fields>>): Promise<unknown>;
};

/** What defines resources whose operations reach these ports, and whose records are these. */
export function resourceOf<Ports, Thing>() {
  return {
    operation: <const Fields extends InputFields>(spec: OperationSpec<Ports, Fields>): Operation<Ports> =>
      spec,
    define: <Book extends object>(
      resource: Resource<Ports, Thing, keyof Thing & string> & Opens<Book>,
    ): Resource<Ports> & Opens<Book> => resource,
  };
}
