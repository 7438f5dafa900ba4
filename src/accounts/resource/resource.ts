import type { Columns, Input, InputFields, OutputFields } from '#fields';
import type { AdminCaller } from '../admin-key.ts';
import type { JsonObject } from '#base';
import type { StorePorts } from '../store-ports.ts';
import type { Page } from '../page.ts';

/** One decoded request for an operation. `Ports`: the stores and the configuration that the operation uses. */
export type OperationCall<Ports, Values = unknown> = Ports & {
  /** The id of the resource; empty if the operation has none. */
  id: string;
  input: Values;
  /** For a list: the requested page. */
  page: Page;
  /** The calling admin key; absent on the command line. */
  caller?: AdminCaller;
};

/**
 * What an operation returns: one record (`one`), one with its secret, which is shown only here (`secret`), a whole list
 * (`list`), a page of a list (`page`), or the id of what it deleted (`deleted`).
 */
type AnswerKind = 'one' | 'secret' | 'list' | 'page' | 'deleted';

/** An operation on a resource. */
export interface Operation<Ports = never> {
  summary: string;
  /** The description of the response in OpenAPI. */
  answer: string;
  kind: AnswerKind;
  /** Members of the body; of a list its filters. */
  input: InputFields;
  /** An example body for OpenAPI and for tests, which replace its ids. */
  example?: JsonObject;
  /** Whether a session that is bound to a member can use it, for what belongs to that member; see `memberOf`. */
  isForMembers?: boolean;
  /** Refused to admin keys and sessions that are bound to an organization, also for that one. */
  isForUnbound?: boolean;
  /** Only for commands, without an endpoint; `configuration` if it uses no database. */
  local?: 'configuration' | 'database';
  /** Members of the response, if other than the resource's; of a deletion, those besides `deleted`. */
  fields?: OutputFields;
  run(call: OperationCall<Ports>): Promise<unknown>;
}

/** Commands of a resource that others have too. */
export interface CommandGroup {
  /** As the command line calls it. */
  group: string;
  /** Who or what they are about. */
  what: string;
  /** The arguments of an example: an id, or what the command takes. */
  sample: string;
}

/** A command that runs an operation. */
export interface ResourceCommand<Ports = never, Thing = unknown, Member extends string = string> {
  /** Such as `rotate`. */
  name: string;
  operation: string;
  /** The group, if other than the resource's. */
  group?: string;
  /** How it names its target, if other than the group's commands. */
  target?: CommandTarget;
  /** The summary of the operation by default. */
  summary?: string;
  examples: readonly string[];
  /** The members of the input that it takes and requires; all members if absent. */
  inputs?: readonly string[];
  /** Members of the input with a fixed value. */
  fixed?: Readonly<{ [name: string]: unknown }>;
  /** The default of `--limit`; without it the whole list is shown. */
  pageSize?: number;
  /** Derives the input from the given values, if one word sets several members. */
  prepare?(given: { [name: string]: unknown }): { [name: string]: unknown };
  /** The columns of its list, if other than the group's. */
  columns?: Columns<Thing, Member>;
  /** Lines after the options in its help. */
  notes?: readonly string[];
  /** The result as lines of text; `--json` prints all of it. */
  format?(answer: Thing): readonly string[];
  /** Lines for standard error. */
  remarks?(answer: Thing, ports: Ports): Promise<readonly string[]>;
}

/** How commands name the record that they are about. */
export interface CommandTarget<Thing = unknown> {
  flags: string;
  help: string;
  /** Defaults to the first project of the first organization. */
  defaultsTo?: 'project';
  /** For records that are named within an organization instead of by id: whether the record has the name. */
  matches?(record: Thing, name: string): boolean;
}

/** Members of some results besides the record's. */
interface ExtraMembers {
  /** The secret of a new credential. */
  secret: string;
  /** The keys that a deletion disabled. */
  disabledKeyIds: readonly string[];
}

/** The commands of a resource: `sluice <group> <name>`. */
export interface ResourceCommands<Ports = never, Thing = unknown, Member extends string = string> {
  group: string;
  summary: string;
  /** Summaries of the other groups that its commands are in. */
  otherGroups?: Readonly<{ [group: string]: string }>;
  target: CommandTarget<Thing>;
  /** Printed for an empty list. */
  empty: string;
  /** Commands of earlier versions, with what replaces them. */
  replaced?: Readonly<{ [name: string]: string }>;
  columns: Columns<Thing, Member>;
  /** Columns that are omitted from a list if all its records have the same value. */
  distinguishing?: readonly string[];
  commands: readonly ResourceCommand<Ports, Thing & ExtraMembers, Member>[];
}

/** Values of a file by the names of their fields. */
export type FileValues = { [field: string]: unknown };

/** How the files of `apply` and `export` write a resource. */
export interface ManifestSpec {
  /** The resources whose entries contain it; absent at the top of a file. */
  within?: readonly string[];
  /** The list that contains its entries; absent if its fields are fields of the entry it is in, and change together. */
  list?: string;
  /** The field that names an entry within its list; absent if entries have no identity, such as rules. */
  name?: string;
  /** The field by which an entry that has it is found before its name, in any case of letters, such as an e-mail address. */
  identity?: string;
  /** In the order of the file: the fields that each operation sets. Those of `create` alone never change. */
  fields: Readonly<{ [operation: string]: readonly string[] }>;
  /** Checks an entry without a name; throws `invalid_request`. */
  check?(values: FileValues, within: string): FileValues;
  /** Fields that do not apply alongside these values. */
  listUnused?(values: FileValues): readonly string[];
  /** Fields that change together, as a preview shows them. */
  describe?(values: FileValues): string;
}

/** One kind of administered record. Its HTTP endpoints and commands are generated from this. */
export interface Resource<Ports = never, Thing = unknown, Member extends string = string> {
  /** Its name in JSON, such as `custom_model`. */
  name: string;
  /** The path below `/admin/v1/`; contains `{id}` if it is part of another resource. */
  path: string;
  /** The area of the admin scope that its endpoints require. */
  scope: 'accounts' | 'money' | 'admin_keys' | 'audit';
  /**
   * The organization that a record belongs to, read by the record's id (throws `not_found`); `id` if that is the
   * organization's id. If absent, only admin keys of all organizations can use the resource.
   */
  owner?: 'id' | ((ports: Ports, id: string) => Promise<{ organizationId?: string }>);
  /** The member that a record belongs to. */
  memberOf?: { find(record: Thing): string | undefined }['find'];
  /** The members of its JSON after `object` and `id`. */
  fields: OutputFields;
  /** `create`, `list`, `get`, `update`, `remove`, and other actions by their names. */
  operations: Readonly<{ [name: string]: Operation<Ports> }>;
  commands: ResourceCommands<Ports, Thing, Member>;
  /** How files declare it; absent if they do not. */
  manifest?: ManifestSpec;
  /** How commands name a record besides by its id; absent if they do not. The list has a filter `search`. */
  named?: {
    /** The member that has the name. */
    by: Member;
    /** The option that names one, without its dashes; options of earlier resources narrow it. */
    option: string;
  };
  /** The table that keeps the ids of deleted records: filters of requests accept them. */
  table?: string;
}

/** A resource with its part of the directory: its reads and changes of the database. */
export interface HasStore<Store extends object> {
  store(ports: StorePorts): Store;
}

type OperationSpec<Ports, Fields extends InputFields> = Omit<Operation<Ports>, 'input' | 'run'> & {
  /** None by default. */
  input?: Fields;
  run(call: OperationCall<Ports, Input<Fields>>): Promise<unknown>;
};

/** Functions that define a resource with these ports and records. */
export function resourceOf<Ports, Thing>() {
  return {
    operation: <const Fields extends InputFields = Record<never, never>>(
      spec: OperationSpec<Ports, Fields>,
    ): Operation<Ports> => ({ input: {}, ...spec }),
    define: <Store extends object>(
      resource: Resource<Ports, Thing, keyof Thing & string> & HasStore<Store>,
    ): Resource<Ports> & HasStore<Store> => resource,
  };
}
