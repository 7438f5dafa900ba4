import type { CacheReport } from '#app';
import type { Command } from 'commander';
import { encodeMisses, toTenants } from '#app';
import { formatUsd } from '#base';
import { type CommonOptions, defineCommand } from '../terminal/command.ts';
import { type FilterOptions, addFilters, explainEmptyResult, toFilter } from './filters.ts';
import { print } from '../terminal/output.ts';
import { createStartOption, readSince } from '../terminal/read-time.ts';
import { formatTable } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';

export function createCacheMissesCommand(): Command {
  const command = defineCommand({
    name: 'cache-misses',
    summary:
      'Sum up what sessions paid for prompts that were not read from the prompt cache, by reason, and what set marks saved.',
    examples: ['cache-misses', 'cache-misses --project prj_… --since 1d', 'cache-misses --json'],
  })
    .addOption(createStartOption(undefined, '7d'))
    .option('--until <time>', 'only requests before then', readSince);
  return addFilters(command, ['organizationId', 'projectId']).action(
    async (options: CommonOptions & FilterOptions & { since: number }) => {
      const report = await withStores(options, async (stores, named) => {
        const filter = { ...toFilter(named), since: options.since };
        const found = await stores.cacheMisses.list(filter, toTenants(filter));
        if (found.misses.length + found.marks.length === 0) await explainEmptyResult(stores, filter, options);
        return found;
      });
      print(options, encodeMisses(report), () => [...formatSums(report), ...formatMarks(report)]);
    },
  );
}

function formatSums({ misses: sums }: CacheReport): string[] {
  if (sums.length === 0) return ['no request of a session missed the prompt cache'];
  const add = (name: 'requests' | 'tokens'): number => sums.reduce((sum, line) => sum + line[name], 0);
  const cost = sums.reduce((sum, line) => sum + line.cost, 0n);
  return formatTable(
    ['reason', 'project', 'requests', 'tokens', 'usd'],
    [
      ...sums.map((line) => [
        line.reason,
        line.projectId,
        String(line.requests),
        String(line.tokens),
        formatUsd(line.cost),
      ]),
      ['all', '', String(add('requests')), String(add('tokens')), formatUsd(cost)],
    ],
  );
}

/** The savings by cache marks that the gateway set. */
function formatMarks({ marks }: CacheReport): string[] {
  if (marks.length === 0) return [];
  const rows = marks.map(({ projectId, requests, saved }) => [projectId, String(requests), formatUsd(saved)]);
  return ['', ...formatTable(['marked in project', 'requests', 'usd saved'], rows)];
}
