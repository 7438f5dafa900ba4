import type { UsageFilter, UsageGroup } from '#app';
import { MOST_TOP, USAGE_GROUPS_HELP, USUAL_TOP, encodeUsage, readUsageGroups } from '#app';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type CommonOptions, defineCommand } from '../terminal/command.ts';
import { readWhole } from '../terminal/read-amount.ts';
import { readSince } from '../terminal/read-time.ts';
import { print } from '../terminal/output.ts';
import { withStores } from '../terminal/with-stores.ts';
import { formatUsage } from './format-usage.ts';

interface UsageOptions extends CommonOptions {
  by: readonly UsageGroup[];
  since?: number;
  until?: number;
  org?: string;
  project?: string;
  key?: string;
  model?: string;
  provider?: string;
  member?: string;
  client?: string;
  session?: string;
  agent?: string;
  user?: string;
  top: number;
}

export function createUsageCommand(): Command {
  return defineCommand({
    name: 'usage',
    summary: 'Sum up the usage and cost of requests; figures agree with the ledger.',
    examples: ['usage', 'usage --by day --since 30d', 'usage --by session,model --since 1d --json'],
  })
    .addOption(
      new Option('--by <groups>', `${USAGE_GROUPS_HELP}; several with commas`)
        .argParser(readGroups)
        .default(['model'], 'model'),
    )
    .option('--since <time>', 'only requests since then, by the hour: 30m, 2h, 7d or an ISO time', readSince)
    .option('--until <time>', 'only requests before then', readSince)
    .option('--org <id>', 'only this organization')
    .option('--project <id>', 'only this project')
    .option('--key <id>', 'only this key')
    .option('--model <id>', 'only this model')
    .option('--provider <id>', 'only this provider')
    .option('--member <id>', 'only this member')
    .option('--client <name>', 'only this client, such as claude-code')
    .option('--session <id>', 'only this session of a client')
    .option('--agent <id>', 'only this agent of a client')
    .option('--user <id>', 'only this end user')
    .option(
      '--top <lines>',
      'how many groups get a line; the others are one',
      readWhole(1, MOST_TOP),
      USUAL_TOP,
    )
    .action(async (options: UsageOptions) => {
      const report = await withStores(options, ({ usage }) => usage.reportAsOperator(toFilter(options)));
      const { lines, total } = report;
      print(options, encodeUsage(report, true), () =>
        total ? formatUsage(options.by, lines, total) : ['no requests'],
      );
    });
}

function toFilter({
  by,
  top,
  since,
  until,
  ...options
}: UsageOptions): UsageFilter & { organizationId?: string } {
  const chosen = {
    organizationId: options.org,
    projectId: options.project,
    keyId: options.key,
    model: options.model,
    providerId: options.provider,
    memberId: options.member,
    clientName: options.client,
    sessionId: options.session,
    agentId: options.agent,
    endUserId: options.user,
    since,
    until,
  };
  return {
    by,
    top,
    ...Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined)),
  };
}

function readGroups(text: string): UsageGroup[] {
  const groups = readUsageGroups(text);
  if (!groups) throw new InvalidArgumentError(`Known are ${USAGE_GROUPS_HELP}, each once.`);
  return groups;
}
