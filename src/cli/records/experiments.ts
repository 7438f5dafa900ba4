import type { Command } from 'commander';
import { type ExperimentLine, encodeExperiments } from '#app';
import { formatUsd } from '#base';
import { type CommonOptions, defineCommand } from '../terminal/command.ts';
import { createStartOption } from '../terminal/read-time.ts';
import { type FilterOptions, addFilters, explainEmptyResult, toFilter } from './filters.ts';
import { print } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';

export function createExperimentsCommand(): Command {
  const command = defineCommand({
    name: 'experiments',
    summary:
      'Compare the variants of experiments (`routing.experiments` of the configuration), and the copies of mirrors ' +
      '(`routing.mirrors`) with their originals.',
    examples: ['experiments', 'experiments --since 24h --json'],
  }).addOption(createStartOption(undefined, '7d'));
  return addFilters(command, ['projectId']).action(
    async (options: CommonOptions & FilterOptions & { since: number }) => {
      const lines = await withStores(options, async (stores, named) => {
        const filter = { ...toFilter(named), since: options.since };
        const found = await stores.experiments.list(filter, 'all');
        if (found.length === 0) await explainEmptyResult(stores, filter, options);
        return found;
      });
      print(options, { object: 'list', data: encodeExperiments(lines, true) }, () =>
        lines.length === 0 ? ['no requests took part in an experiment or were mirrored'] : formatLines(lines),
      );
    },
  );
}

const COLUMNS: readonly [title: string, show: (line: ExperimentLine) => string][] = [
  ['experiment', ({ experiment }) => experiment],
  ['variant', ({ variant }) => variant],
  ['requests', ({ requests }) => String(requests)],
  ['answered', ({ answered, requests }) => `${Math.round((answered / requests) * 1_000) / 10} %`],
  ['calls', ({ calls }) => String(calls)],
  ['first event p50/p95', (line) => toTimes(line.first_event_ms, line.first_event_p95_ms)],
  ['duration p50/p95', (line) => toTimes(line.duration_ms, line.duration_p95_ms)],
  ['in', ({ input_tokens: tokens }) => String(tokens)],
  ['out', ({ output_tokens: tokens }) => String(tokens)],
  ['customer usd', ({ customer }) => formatUsd(customer)],
  ['provider usd', ({ provider }) => formatUsd(provider)],
];

function formatLines(lines: readonly ExperimentLine[]): string[] {
  return formatTable(
    COLUMNS.map(([title]) => title),
    lines.map((line) => COLUMNS.map(([, show]) => show(line))),
  );
}

function toTimes(median: number | null, high: number | null): string {
  return median === null || high === null ? '–' : `${Math.round(median)}/${Math.round(high)} ms`;
}
