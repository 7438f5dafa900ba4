import type { SessionFilter } from '#app';
import { type Command, Option } from 'commander';
import { encodeSession, encodeSessions, toTenants } from '#app';
import { type CommonOptions, defineCommand, defineGroup } from '../terminal/command.ts';
import { type FilterOptions, addFilters, explainEmptyResult, toFilter } from './filters.ts';
import { readNames } from '../terminal/names.ts';
import { print } from '../terminal/output.ts';
import { readWhole } from '../terminal/read-amount.ts';
import { createStartOption, readSince } from '../terminal/read-time.ts';
import { withStores } from '../terminal/with-stores.ts';
import { formatSession, formatSessions } from './format-session.ts';

interface ListOptions extends CommonOptions, FilterOptions {
  sort?: SessionFilter['sort'];
  since: number;
  limit: number;
}

interface ShowOptions extends CommonOptions {
  org?: string;
  /** Without the turns. */
  agents?: boolean;
}

export function createSessionsCommand(): Command {
  return defineGroup('sessions', 'Show what sessions of coding agents and other clients cost.', [])
    .addCommand(createList(), { isDefault: true })
    .addCommand(createShow());
}

function createList(): Command {
  const command = defineCommand({
    name: 'list',
    summary: 'List sessions of clients, those with the latest requests or the highest cost first.',
    examples: [
      'sessions list',
      'sessions list --client claude-code --since 7d',
      'sessions list --sort cost --since 2d --until 1d',
      'sessions list --user ann --json',
    ],
  })
    .addOption(createStartOption(undefined, '1d'))
    .option('--until <time>', 'only requests before then', readSince)
    .addOption(
      new Option('--sort <order>', 'which come first (default: latest)').choices(['latest', 'cost']),
    );
  return addFilters(command, ['organizationId', 'projectId', 'keyId', 'memberId', 'clientName', 'endUserId'])
    .option('--limit <sessions>', 'how many sessions', readWhole(1, 1_000), 20)
    .action(async (options: ListOptions) => {
      const { lines, names } = await withStores(options, async (stores, named) => {
        const filter = toSessionFilter(named);
        const found = await stores.sessions.list(filter, toTenants(filter));
        if (found.length === 0) await explainEmptyResult(stores, toFilter(named), options);
        const keyIds = options.json === true ? [] : found.flatMap((line) => line.keyIds);
        return { lines: found, names: await readNames(stores.accounts.directory, keyIds) };
      });
      print(options, encodeSessions(lines, true), () =>
        lines.length === 0
          ? ['no sessions; docs/usage.md names the headers of a session']
          : formatSessions(lines, names),
      );
    });
}

function createShow(): Command {
  return defineCommand({
    name: 'show',
    summary: 'Show what a session cost, by agent, sub-agent and turn; also while it runs.',
    examples: ['sessions show 5f6c…', 'sessions show 5f6c… --agents', 'sessions show 5f6c… --json'],
  })
    .argument('<id>', 'the session’s id, as listed')
    .option('--org <id>', 'the organization, if several have a session of this id')
    .option('--agents', 'only agents, without their turns')
    .action(async (id: string, options: ShowOptions) => {
      const { agents = false } = options;
      const tree = await withStores(options, ({ sessions }, { org }) =>
        sessions.find(id, toTenants({ organizationId: org })),
      );
      if (!tree) throw new Error(`there is no session ${id} (npx sluice sessions list shows the latest)`);
      print(options, encodeSession(tree, true), () => formatSession(tree, !agents));
    });
}

function toSessionFilter({
  sort,
  limit,
  since,
  ...options
}: ListOptions): SessionFilter & { organizationId?: string } {
  return { ...toFilter(options), since, limit, ...(sort && { sort }) };
}
