import type { UsageGroup, UsageLine } from '#app';
import { USAGE_GROUPS } from '#app';
import { formatUsd } from '#base';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type CommonOptions, defineCommand } from '../terminal/command.ts';
import { readSince } from '../terminal/read-time.ts';
import { print } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';

interface UsageOptions extends CommonOptions {
  by: readonly UsageGroup[];
  since?: number;
  until?: number;
  org?: string;
  project?: string;
  key?: string;
  model?: string;
  provider?: string;
}

const GROUPS = Object.keys(USAGE_GROUPS) as UsageGroup[];

export function createUsageCommand(): Command {
  return defineCommand({
    name: 'usage',
    summary: 'Sum up the usage and cost of requests; figures agree with the ledger.',
    examples: ['usage', 'usage --by day --since 30d', 'usage --by project,model --org org_… --json'],
  })
    .addOption(
      new Option('--by <groups>', `${GROUPS.join(', ')}; several with commas`)
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
    .action(async (options: UsageOptions) => {
      const { by, since, until } = options;
      const chosen = {
        organizationId: options.org,
        projectId: options.project,
        keyId: options.key,
        model: options.model,
        providerId: options.provider,
        since,
        until,
      };
      const filter = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined));
      const { lines, total } = await withStores(options, async ({ usage }) => ({
        lines: await usage.listAsOperator({ ...filter, by }),
        total: (await usage.listAsOperator(filter))[0],
      }));
      const json = { data: lines.map(toJsonLine), total: total ? toJsonLine(total) : null };
      print(options, json, () => (total ? formatLines(by, lines, total) : ['no requests']));
    });
}

function readGroups(text: string): UsageGroup[] {
  const groups = text.split(',').map((word) => GROUPS.find((name) => name === word.trim()));
  if (groups.some((group) => group === undefined))
    throw new InvalidArgumentError(`Known are ${GROUPS.join(', ')}.`);
  return groups as UsageGroup[];
}

function toJsonLine({ group, requests, usage, customer, provider }: UsageLine) {
  return {
    ...group,
    requests,
    usage,
    customerCost: formatUsd(BigInt(customer)),
    providerCost: formatUsd(BigInt(provider)),
  };
}

function formatLines(
  by: readonly UsageGroup[],
  lines: readonly UsageLine[],
  total: UsageLine,
): readonly string[] {
  const cells = ({ requests, usage, ...costs }: UsageLine): string[] => [
    String(requests),
    String(usage.inputUncached + usage.inputAudio),
    String(usage.inputCacheRead),
    String(usage.inputCacheWrite5m + usage.inputCacheWrite1h),
    String(usage.outputText + usage.outputReasoning + usage.outputAudio),
    formatUsd(BigInt(costs.customer)),
    formatUsd(BigInt(costs.provider)),
  ];
  return formatTable(
    [...by, 'requests', 'in', 'cache read', 'cache write', 'out', 'customer usd', 'provider usd'],
    [
      ...lines.map((line) => [...by.map((name) => line.group[name] || '–'), ...cells(line)]),
      [...by.map((_, index) => (index === 0 ? 'total' : '')), ...cells(total)],
    ],
  );
}
