import type { WhatIf } from '#app';
import type { Command } from 'commander';
import { BILL_OWNERS, askWhatIf, encodeWhatIf, loadByokTerms } from '#app';
import { formatUsd, systemClock, formatCount } from '#base';
import { type CommonOptions, defineCommand, toOrigin } from '../terminal/command.ts';
import { type FilterOptions, addFilters, explainEmptyResult, toFilter } from './filters.ts';
import { formatEstimates } from '../terminal/format-estimates.ts';
import { print } from '../terminal/output.ts';
import { createStartOption, readSince } from '../terminal/read-time.ts';
import { formatTable } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';

interface WhatIfOptions extends CommonOptions, FilterOptions {
  model: string;
  since: number;
  from?: string;
}

export function createWhatIfCommand(): Command {
  const command = defineCommand({
    name: 'what-if',
    summary: 'Show what the same usage would have cost if another model had answered.',
    examples: [
      'what-if --model gpt-5-mini',
      'what-if --model claude-haiku-5-5 --from claude-opus-5-5 --last 7d',
      'what-if --model gpt-5-mini --client claude-code --user ann',
      'what-if --model gpt-5-mini --session 5f6c… --json',
    ],
  })
    .requiredOption('--model <name>', 'the other model, or provider/model')
    .addOption(createStartOption(undefined, '30d'))
    .option('--until <time>', 'only requests before then', readSince)
    .option('--from <model>', 'only requests that this model answered');
  return addFilters(command, BILL_OWNERS).action(async (options: WhatIfOptions) => {
    const whatIf = await withStores(options, async (stores, named) => {
      const { bills, database } = stores;
      const { catalogue } = await loadByokTerms(toOrigin(options), database);
      const ports = { bills, catalogue, now: systemClock.now() };
      const filter = toFilter({ ...named, model: options.from });
      const found = await askWhatIf(ports, { model: options.model, filter, tenants: 'all' });
      if (found.sources.length === 0) await explainEmptyResult(stores, filter, options);
      return found;
    });
    print(options, encodeWhatIf(whatIf), () => format(whatIf));
  });
}

function format({ lines, sources, assumptions }: WhatIf): string[] {
  const total = sources.reduce((sum, { requests }) => sum + requests, 0);
  if (total === 0) return ['no requests in this time'];
  const leftOut = lines.flatMap(({ providerId, leftOut: some }) =>
    some.map(
      ({ reason, requests, actual }) =>
        `${providerId}: ${formatCount(requests, 'request')} for ${formatUsd(actual)} left out: ${reason}`,
    ),
  );
  const answered = sources.map(({ modelId, providerId, requests, actual }) => [
    modelId === '' ? 'none' : modelId,
    providerId,
    String(requests),
    formatUsd(actual),
  ]);
  return [
    ...formatEstimates(lines),
    ...leftOut,
    '',
    ...formatTable(['answered by', 'provider', 'requests', 'usd'], answered),
    '',
    ...assumptions,
  ];
}
