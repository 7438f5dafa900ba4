import { type SnakeCase, toSnakeCase } from '#base';
import { LOG_FINISHES, type LogFinishFilter, type LogRow, isFailedFinish } from './log-row.ts';

/** How a filter is described. */
export type FilterSpec = readonly [
  option: string,
  only: string,
  requests: string,
  /** All values it can have. */
  values?: readonly string[],
];

/**
 * What requests can be filtered by: the option of commands, its help after “only”, and the description of the parameter after
 * “Only requests”. The name in snake case is the parameter and the column. A row must have the value itself;
 * `SPECIAL_NAMES` compare otherwise.
 */
export const REQUEST_FILTERS = {
  organizationId: ['--org <id>', 'this organization', 'of this organization'],
  projectId: ['--project <id>', 'this project', 'of this project'],
  keyId: ['--key <id>', 'this key', 'of this key'],
  memberId: ['--member <id>', 'this member', 'with a key of this member'],
  sessionTokenId: ['--token <id>', 'this session token', 'with this session token'],
  model: ['--model <name>', 'this model', 'for this model, by its id or the name the client used'],
  providerId: ['--provider <id>', 'this provider', 'that this provider answered'],
  errorCode: [
    '--error <code>',
    'requests that ended with this error, such as key_limit_reached',
    'that ended with this error, such as key_limit_reached',
  ],
  finishReason: [
    '--finish <reason>',
    `this ending: ${LOG_FINISHES.join(', ')}, or error for each that failed`,
    `that ended so: ${LOG_FINISHES.join(', ')}, or \`error\` for each that failed`,
    [...LOG_FINISHES, 'error'],
  ],
  clientName: ['--client <name>', 'this client, such as claude-code', 'of this client, such as claude-code'],
  sessionId: ['--session <id>', 'this session of a client', 'of this session of a client'],
  agentId: ['--agent <id>', 'this agent of a client', 'of this agent'],
  parentAgentId: [
    '--parent-agent <id>',
    'agents that this agent started',
    'of agents that this agent started',
  ],
  runId: ['--run-id <id>', 'this run', 'of this run'],
  turnId: ['--turn-id <id>', 'this turn', 'of this turn'],
  endUserId: ['--user <id>', 'this end user', 'for this end user'],
  tag: ['--tag <tag>', 'with this tag: key, or key=value', 'with this tag: `key`, or `key=value`'],
  userAgent: [
    '--user-agent <text>',
    'clients whose user agent starts with this',
    'whose user agent starts with this',
  ],
  search: [
    '--search <text>',
    'rows with this text in error, user agent, model or foreign id',
    'with this text in an error, the user agent, the model’s name or an id of client or provider',
  ],
} as const satisfies Record<string, FilterSpec>;

export type FilterName = keyof typeof REQUEST_FILTERS;
export const FILTER_NAMES = Object.keys(REQUEST_FILTERS) as FilterName[];

/** `select-rows.ts` and `matches-filter.ts` compare these, each in its own way. */
export const SPECIAL_NAMES = ['model', 'tag', 'userAgent', 'search'] as const satisfies FilterName[];
export type SpecialName = (typeof SPECIAL_NAMES)[number];
export type EqualName = Exclude<FilterName, SpecialName>;
export const EQUAL_NAMES = FILTER_NAMES.filter(
  (name): name is EqualName => !SPECIAL_NAMES.some((special) => special === name),
);

/** Does not compile unless each filter is special or a member of rows. */
export type RequestFilter = { [Name in Exclude<EqualName, 'finishReason'>]?: NonNullable<LogRow[Name]> } & {
  [Name in SpecialName]?: string;
} & { finishReason?: LogFinishFilter };

const FAILED = LOG_FINISHES.filter(isFailedFinish);

/** The values of rows that a filter selects. */
export const valuesOf = (name: EqualName | 'model', value: string): readonly string[] =>
  name === 'finishReason' && value === 'error' ? FAILED : [value];

/** A comparison of a column with the values of a filter. */
export function composeValues(values: readonly string[], bind: (value: unknown) => string): string {
  return values.length === 1 ? `= ${bind(values[0])}` : `= ANY (${bind(values)}::text[])`;
}

/** Filters by one column: those by equality, and the model that answered. */
export type ColumnName = EqualName | 'model';
export type ColumnOf<Name extends ColumnName> = Name extends 'model' ? 'model_id' : SnakeCase<Name>;

export const COLUMN_NAMES: readonly ColumnName[] = [...EQUAL_NAMES, 'model'];

export const columnOfFilter = (name: ColumnName): string =>
  name === 'model' ? 'model_id' : toSnakeCase(name);

/** The conditions of the filters that are set, each after an AND. */
export function composeEqual<Name extends ColumnName>(
  filter: Pick<RequestFilter, Name>,
  names: readonly Name[],
  values: unknown[],
): string {
  const set = names.filter((name) => filter[name] !== undefined);
  return set.map((name) => ` AND ${columnOfFilter(name)} = $${values.push(filter[name])}`).join('');
}
