import type { Input, InputFields } from './input-field.ts';
import type { ObjectType } from './output-fields.ts';
import type { TextTable } from './columns.ts';

/** What people call keys, members, projects and organizations, by their ids. */
export interface RecordNames {
  /** The name, with the id where several of its kind that were read have it, and whether it was removed; the id of what has no name. */
  show(id: string): string;
  /** The same in little space. */
  showShort(id: string): string;
}

/** One request for a report. `Ports`: what it reads. */
export type ReportCall<Ports, Values = object> = Ports & {
  /** The `{id}` of the path; empty without one. */
  id: string;
  /** The decoded filters, and the organization and member that the caller may see; absent: all. */
  input: Values & { organizationId?: string; memberId?: string };
  /** Milliseconds since the Unix epoch. */
  now: number;
};

/** The command that prints a report; `--json` prints what the endpoint sends. */
interface ReportCommand<Ports, Values, Found> {
  /** The heading under which the help lists it. */
  heading: 'Usage and cost' | 'Operation';
  name: string;
  /** The group that has it with other commands; its first report has the summary. */
  group?: { name: string; summary?: string; isDefault?: boolean };
  /** That of the report by default. */
  summary?: string;
  examples: readonly string[];
  /** The id that a record is named by. */
  target?: { flags: string; help: string };
  /** Whether nothing was found; a filter that names what does not exist is then explained. */
  isEmpty?(found: Found): boolean;
  /** Printed if nothing was found; of a record, the error. */
  empty: string;
  /** The ids of records that the text names. */
  listNamed?(found: Found): readonly string[];
  /** What was found as lines and tables. */
  format(found: Found, shown: { names: RecordNames; input: Values }): readonly (string | TextTable)[];
  /** A line for standard error. */
  remark?(found: Found, call: ReportCall<Ports, Values>): Promise<string | undefined>;
}

/** What can only be read. Its endpoint and its command are generated from this. */
export interface Report<Ports = never, Values = never, Found = never> {
  /** The path below `/admin/v1/`. */
  path: string;
  summary: string;
  scope: `${'accounts' | 'logs' | 'operations' | 'payloads'}:read`;
  /** Whether a session that is bound to a member can use it; it then shows only what is the member's own. */
  isForMembers?: boolean;
  /** Of what concerns all organizations: completes “this admin key is bound to one organization; …”. */
  ofAll?: string;
  /** Of a path with `{id}`: what there is none of if `read` returns undefined. */
  record?: string;
  filters: InputFields;
  /** The description of the response in OpenAPI. */
  answer: string;
  output: ObjectType<Found>;
  read(call: ReportCall<Ports, Values>): Promise<Found | undefined>;
  /** What a caller finds who asks for another organization or member than its own; of a record, that there is none. */
  findNothing?(call: ReportCall<Ports, Values>): Found | Promise<Found>;
  command?: ReportCommand<Ports, Values, Found>;
}

/** Defines a report that reads these ports. */
export const reportOf =
  <Ports>() =>
  <const Fields extends InputFields, Found>(
    report: Report<Ports, Input<Fields>, Found> & { filters: Fields },
  ): Report<Ports, Input<Fields>, Found> =>
    report;
