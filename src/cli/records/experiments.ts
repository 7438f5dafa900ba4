import type { Command } from 'commander';
import { type ExperimentLine, listExperiments } from '#app';
import { formatUsd, systemClock } from '#base';
import { type CommonOptions, defineCommand } from '../terminal/command.ts';
import { readSince } from '../terminal/read-time.ts';
import { print } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';

const WEEK_MS = 7 * 86_400_000;

export function createExperimentsCommand(): Command {
  return defineCommand({
    name: 'experiments',
    summary:
      'Compare the variants of experiments (`routing.experiments` of the configuration), and the copies of mirrors ' +
      '(`routing.mirrors`) with their originals.',
    examples: ['experiments', 'experiments --since 24h --json'],
  })
    .option('--since <time>', 'requests since then: 30m, 2h, 7d or an ISO time (default: 7d)', readSince)
    .action(async ({ since, ...options }: CommonOptions & { since?: number }) => {
      const from = since ?? systemClock.now() - WEEK_MS;
      const lines = await withStores(options, ({ database }) => listExperiments(database, from));
      print(options, { data: lines.map(toJsonLine) }, () =>
        lines.length === 0 ? ['no requests took part in an experiment or were mirrored'] : formatLines(lines),
      );
    });
}

function toJsonLine({ customer, provider, ...line }: ExperimentLine) {
  return { ...line, customer_cost: formatUsd(customer), provider_cost: formatUsd(provider) };
}

function formatLines(lines: readonly ExperimentLine[]): string[] {
  const toMs = (value: number | null): string => (value === null ? '–' : `${Math.round(value)} ms`);
  return formatTable(
    [
      'experiment',
      'variant',
      'requests',
      'answered',
      'calls',
      'first event',
      'duration',
      'out',
      'customer usd',
      'provider usd',
    ],
    lines.map((line) => [
      line.experiment,
      line.variant,
      String(line.requests),
      `${Math.round((line.answered / line.requests) * 1_000) / 10} %`,
      String(line.calls),
      toMs(line.first_event_ms),
      toMs(line.duration_ms),
      String(line.output_tokens),
      formatUsd(line.customer),
      formatUsd(line.provider),
    ]),
  );
}
