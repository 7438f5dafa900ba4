import type { Input, InputFields } from './input-field.ts';
import type { ObjectType } from './output-fields.ts';
import type { TextTable } from './columns.ts';

/** What people call keys, members, projects and organizations, by their ids. */
export interface RecordNames {
  /** The name, with the id where several records have it, and whether the record was removed; the id of a record without a name. */
  show(id: string): string;
  /** The same, shortened. */
  showShort(id: string): string;
}

/** One request for a report. `Ports`: the stores it reads. */
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
  /** The report's summary by default. */
  summary?: string;
  examples: readonly string[];
  /** The argument with the id of a record. */
  target?: { flags: string; help: string };
  /** Whether nothing was found; the command then explains filters that name unknown records. */
  isEmpty?(found: Found): boolean;
  /** Printed if nothing was found; for a single record, the end of the error. */
  empty: string;
  /** The ids that the text shows as names. */
  listNamed?(found: Found): readonly string[];
  /** The lines and tables to print. */
  format(found: Found, shown: { names: RecordNames; input: Values }): readonly (string | TextTable)[];
  /** A line for standard error. */
  remark?(found: Found, call: ReportCall<Ports, Values>): Promise<string | undefined>;
}

/** Something that can only be read. Its endpoint and its command are generated from this. */
export interface Report<Ports = never, Values = never, Found = never> {
  /** The path below `/admin/v1/`. */
  path: string;
  summary: string;
  scope: `${'accounts' | 'logs' | 'operations' | 'payloads'}:read`;
  /** Whether the session of a member can use it; it then shows only their own. */
  isForMembers?: boolean;
  /** For a report on all organizations: completes “this admin key is bound to one organization; …”. */
  ofAll?: string;
  /** For a path with `{id}`: the kind of record, named in the 404 if `read` returns undefined. */
  record?: string;
  filters: InputFields;
  /** The description of the response in OpenAPI. */
  answer: string;
  output: ObjectType<Found>;
  read(call: ReportCall<Ports, Values>): Promise<Found | undefined>;
  /** The answer for a caller who asks for another organization or member; absent for a single record, which is a 404. */
  findNothing?(call: ReportCall<Ports, Values>): Found | Promise<Found>;
  command?: ReportCommand<Ports, Values, Found>;
}

/** Defines a report that reads from these ports. */
export const reportOf =
  <Ports>() =>
  <const Fields extends InputFields, Found>(
    report: Report<Ports, Input<Fields>, Found> & { filters: Fields },
  ): Report<Ports, Input<Fields>, Found> =>
    report;
