import type { Stores, UsageGroup, UsageLine } from '#app';
import { MOST_TOP, USAGE_GROUPS_HELP, USUAL_TOP, encodeUsage, readUsageGroups, toTenants } from '#app';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { GatewayError } from '#errors';
import { type CommonOptions, defineCommand } from '../terminal/command.ts';
import { type FilterOptions, addFilters, explainEmptyResult, toFilter } from './filters.ts';
import { readWhole } from '../terminal/read-amount.ts';
import { createStartOption, readSince } from '../terminal/read-time.ts';
import { type RecordNames, readNames } from '../terminal/names.ts';
import { print, remark } from '../terminal/output.ts';
import { withStores } from '../terminal/with-stores.ts';
import { formatUsage, listNamed } from './format-usage.ts';

const FILTERS = [
  ...(['organizationId', 'projectId', 'keyId', 'model', 'providerId'] as const),
  ...(['memberId', 'clientName', 'sessionId', 'agentId', 'endUserId'] as const),
];

interface UsageOptions extends CommonOptions, FilterOptions {
  by: readonly UsageGroup[];
  top: number;
}

export function createUsageCommand(): Command {
  const command = defineCommand({
    name: 'usage',
    summary: 'Sum up the usage and cost of requests; figures agree with the ledger.',
    examples: ['usage', 'usage --by day --since 30d', 'usage --by session,model --since 1d --json'],
  })
    .addOption(
      new Option('--by <groups>', `${USAGE_GROUPS_HELP}; several with commas`)
        .argParser(readGroups)
        .default(['model'], 'model'),
    )
    .addOption(createStartOption('only requests since then, by the hour: 30m, 2h, 7d or an ISO time'))
    .option('--until <time>', 'only requests before then; an hour that it divides counts whole', readSince);
  return addFilters(command, FILTERS)
    .option(
      '--top <lines>',
      'how many groups get a line; the others are one',
      readWhole(1, MOST_TOP),
      USUAL_TOP,
    )
    .action(async (options: UsageOptions) => {
      const { report, names } = await withStores(options, async (stores, named) => {
        const filter = toFilter(named);
        const found = await stores.usage.report(
          { ...filter, by: options.by, top: options.top },
          toTenants(filter),
        );
        if (!found.total) await explainEmptyResult(stores, filter, options);
        else if (lacksUsers(found.lines, options.by)) await mentionMembers(stores, filter);
        return { report: found, names: await nameGroups(stores, options.json === true ? [] : found.lines) };
      });
      const { lines, total } = report;
      print(options, encodeUsage(report, true), () =>
        total ? formatUsage(options.by, { lines, total }, names) : ['no requests'],
      );
    });
}

/** Whether the lines were to be of end users, and no request names one. */
function lacksUsers(lines: readonly UsageLine[], by: readonly UsageGroup[]): boolean {
  return (
    by.includes('user') && !by.includes('member') && lines.every(({ group }) => (group.user ?? '') === '')
  );
}

async function mentionMembers({ usage }: Stores, filter: ReturnType<typeof toFilter>): Promise<void> {
  const { lines } = await usage.report({ ...filter, by: ['member'], top: 2 }, toTenants(filter));
  if (lines.some(({ group }) => (group.member ?? '') !== ''))
    remark('no request names an end user; --by member sums up the keys of members');
}

async function nameGroups(stores: Stores, lines: readonly UsageLine[]): Promise<RecordNames> {
  const names = await readNames(stores.accounts.directory, listNamed(lines));
  const tokens = lines.flatMap(({ group }) => group.token ?? []).filter((id) => id !== '');
  return nameTokens(stores, tokens, names);
}

/** Session tokens have no name: their end user or key is shown with their id. */
async function nameTokens(
  { accounts }: Pick<Stores, 'accounts'>,
  ids: readonly string[],
  names: RecordNames,
): Promise<RecordNames> {
  const tokens = new Map<string, string>();
  for (const id of ids) {
    const token = await accounts.directory.getSessionToken(id).catch((error: unknown) => {
      if (error instanceof GatewayError && error.code === 'not_found') return undefined;
      throw error;
    });
    if (token) tokens.set(id, `${id} (${token.endUserId ?? names.show(token.keyId)})`);
  }
  return { ...names, show: (id) => tokens.get(id) ?? names.show(id) };
}

function readGroups(text: string): UsageGroup[] {
  const groups = readUsageGroups(text);
  if (!groups) throw new InvalidArgumentError(`Known are ${USAGE_GROUPS_HELP}, each once.`);
  return groups;
}
