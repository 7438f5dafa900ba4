import type { AdviceKind, AdviceFinding } from '#app';
import { type Command, Option } from 'commander';
import {
  ADVICE_KINDS,
  askAdvice,
  createUsableFilter,
  describeFinding,
  encodeAdvice,
  isWaste,
  readAvailability,
} from '#app';
import { formatUsd, systemClock } from '#base';
import { type CommonOptions, defineCommand, toOrigin } from '../terminal/command.ts';
import { type FilterOptions, addFilters, explainEmptyResult, toFilter } from './filters.ts';
import { print } from '../terminal/output.ts';
import { createStartOption, readSince } from '../terminal/read-time.ts';
import { formatTable } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';

interface AdviseOptions extends CommonOptions, FilterOptions {
  since: number;
  kind?: AdviceKind;
}

const SHOWN_IDS = 3;

export function createAdviseCommand(): Command {
  const command = defineCommand({
    name: 'advise',
    summary:
      'Find savings: loops, repeated reads, unused tools, large prompts, other providers, price steps.',
    examples: ['advise', 'advise --last 30d --project prj_…', 'advise --kind unused_tools', 'advise --json'],
  })
    .addOption(createStartOption(undefined, '7d'))
    .option('--until <time>', 'only requests before then', readSince)
    .addOption(new Option('--kind <kind>', 'only findings of this kind').choices([...ADVICE_KINDS]));
  return addFilters(command, ['organizationId', 'projectId']).action(async (options: AdviseOptions) => {
    const { kind } = options;
    const findings = await withStores(options, async (stores, named) => {
      const filter = { ...toFilter(named), since: options.since };
      const { accounts, bills, prompts, database } = stores;
      const availability = await readAvailability(toOrigin(options), database);
      const canUse = await createUsableFilter(accounts.directory, availability, filter);
      const ports = { bills, prompts, catalogue: availability.catalogue, now: systemClock.now(), canUse };
      const found = await askAdvice(ports, { filter, tenants: 'all', ...(kind && { kinds: [kind] }) });
      if (found.length === 0) await explainEmptyResult(stores, filter, options);
      return found;
    });
    print(options, encodeAdvice(findings), () => format(findings));
  });
}

function format(findings: readonly AdviceFinding[]): string[] {
  if (findings.length === 0) return ['nothing found'];
  const rows = findings.map((finding) => [
    formatUsd(finding.saved),
    String(finding.requests),
    nameSubject(finding),
    `${describeFinding(finding)}; such as ${finding.requestIds.slice(0, SHOWN_IDS).join(', ')}`,
  ]);
  return formatTable(['usd', 'requests', 'of', 'finding'], rows);
}

function nameSubject(finding: AdviceFinding): string {
  if (isWaste(finding)) return finding.sessionId ?? finding.projectId;
  return `${finding.providerId}/${finding.modelId}`;
}
