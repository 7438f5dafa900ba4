import type { ModelName, Stores } from '#app';
import { findModelName } from '#app';
import type { Command } from 'commander';
import { type CommonOptions, toOrigin } from '../terminal/command.ts';
import { remark } from '../terminal/output.ts';

interface FilterSpec {
  flags: string;
  help: string;
  /** What it sets in the filters of the stores. */
  member: string;
}

/** Options that select requests, under the names that commander gives their values. */
const FILTERS = {
  org: { flags: '--org <id>', help: 'only this organization', member: 'organizationId' },
  project: { flags: '--project <id>', help: 'only this project', member: 'projectId' },
  key: { flags: '--key <id>', help: 'only this key', member: 'keyId' },
  member: { flags: '--member <id>', help: 'only this member', member: 'memberId' },
  token: { flags: '--token <id>', help: 'only this session token', member: 'sessionTokenId' },
  model: { flags: '--model <name>', help: 'only this model', member: 'model' },
  provider: { flags: '--provider <id>', help: 'only this provider', member: 'providerId' },
  client: { flags: '--client <name>', help: 'only this client, such as claude-code', member: 'clientName' },
  session: { flags: '--session <id>', help: 'only this session of a client', member: 'sessionId' },
  agent: { flags: '--agent <id>', help: 'only this agent of a client', member: 'agentId' },
  parentAgent: {
    flags: '--parent-agent <id>',
    help: 'only agents that this agent started',
    member: 'parentAgentId',
  },
  runId: { flags: '--run-id <id>', help: 'only this run', member: 'runId' },
  turnId: { flags: '--turn-id <id>', help: 'only this turn', member: 'turnId' },
  user: { flags: '--user <id>', help: 'only this end user', member: 'endUserId' },
  tag: { flags: '--tag <tag>', help: 'only with this tag: key, or key=value', member: 'tag' },
  userAgent: {
    flags: '--user-agent <text>',
    help: 'only clients whose user agent starts with this',
    member: 'userAgent',
  },
  error: {
    flags: '--error <code>',
    help: 'only requests that ended with this error, such as key_limit_reached',
    member: 'errorCode',
  },
  search: {
    flags: '--search <text>',
    help: 'only rows with this text in error, user agent, model or foreign id',
    member: 'search',
  },
} as const satisfies Record<string, FilterSpec>;

type FilterName = keyof typeof FILTERS;

/** The values of the options. Times are milliseconds since the Unix epoch. */
export type FilterOptions = { [Name in FilterName]?: string | undefined } & {
  since?: number | undefined;
  until?: number | undefined;
};

type Filter = { [Name in FilterName as (typeof FILTERS)[Name]['member']]?: string } & {
  since?: number;
  until?: number;
};

/** Adds options that select requests. */
export function addFilters(command: Command, names: readonly FilterName[]): Command {
  for (const name of names) command.option(FILTERS[name].flags, FILTERS[name].help);
  return command;
}

/** The filter that a command's options ask for; other options are ignored. */
export function toFilter(options: FilterOptions): Filter {
  const { since, until } = options;
  const filter: Filter = {
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
  for (const [name, { member }] of Object.entries(FILTERS)) {
    const value = options[name as FilterName];
    if (value !== undefined) filter[member] = value;
  }
  return filter;
}

/** Names that are in no list of ids: how a request has them, and what lists them. */
const NAMES = [
  { name: 'model', has: 'was answered by the model', by: 'model' },
  { name: 'providerId', has: 'was answered by the provider', by: 'provider' },
  { name: 'clientName', has: 'came from the client', by: 'client' },
] as const;

/**
 * Called where a filter finds nothing. Throws `not_found` for an id that never existed, and remarks on a name that no
 * request has.
 */
export async function explainEmptyResult(
  stores: Stores,
  filter: Filter,
  options: CommonOptions,
): Promise<void> {
  const { accounts, usage, database } = stores;
  await accounts.directory.requireKnown(filter);
  for (const { name, has, by } of NAMES) {
    const value = filter[name];
    if (value === undefined || value === '') continue;
    const { total } = await usage.report({ [name]: value }, 'all');
    if (total) continue;
    const meant = name === 'model' ? await findModelName(toOrigin(options), database, value) : undefined;
    const hint = meant ? describeMeant(meant) : `npx sluice usage --by ${by} lists what there is`;
    remark(`no request ${has} ${JSON.stringify(value)}; ${hint}`);
  }
}

const describeMeant = ({ modelId, providerId }: ModelName): string =>
  providerId === undefined
    ? `it is another name of ${modelId}: ask for that`
    : `ask for the model ${modelId} and the provider ${providerId}`;
