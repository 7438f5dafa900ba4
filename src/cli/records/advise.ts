import type { BillFilter, ProjectWaste, Saving, Stores, WasteKind } from '#app';
import { type Command, Option } from 'commander';
import { WASTE_KINDS, encodeAdvice, findSavings, findWaste, loadByokTerms } from '#app';
import { formatUsd, systemClock } from '#base';
import { type CommonOptions, defineCommand, toOrigin } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { readSince } from '../terminal/read-time.ts';
import { formatTable } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';

const PRICE_KINDS = ['cheaper_provider', 'price_step'] as const;

interface AdviseOptions extends CommonOptions {
  last?: number;
  org?: string;
  project?: string;
  kind?: WasteKind | Saving['kind'];
}

interface Advice {
  savings: Saving[];
  wastes: ProjectWaste[];
}

const USUAL_SPAN_MS = 7 * 86_400_000;
const SHOWN_IDS = 3;

export function createAdviseCommand(): Command {
  return defineCommand({
    name: 'advise',
    summary:
      'Find what would have cost less: loops, repeated reads, unused tools, large prompts, other providers, price steps.',
    examples: ['advise', 'advise --last 30d --project prj_…', 'advise --kind unused_tools', 'advise --json'],
  })
    .option('--last <time>', 'requests since then: 30m, 2h, 7d or an ISO time (default: 7d)', readSince)
    .option('--org <id>', 'only this organization')
    .option('--project <id>', 'only this project')
    .addOption(
      new Option('--kind <kind>', 'only findings of this kind').choices([...WASTE_KINDS, ...PRICE_KINDS]),
    )
    .action(async (options: AdviseOptions) => {
      const advice = await withStores(options, (stores) => advise(stores, options));
      print(options, encodeAdvice(advice), () => format(advice));
    });
}

async function advise({ bills, prompts, database }: Stores, options: AdviseOptions): Promise<Advice> {
  const { catalogue } = await loadByokTerms(toOrigin(options), database);
  const ports = { bills, prompts, catalogue, now: systemClock.now() };
  const filter = toFilter(options);
  const { kind } = options;
  const isAsked = (one: string): boolean => kind === undefined || kind === one;
  const kinds = WASTE_KINDS.filter(isAsked);
  const savings = PRICE_KINDS.some(isAsked) ? await findSavings(ports, filter) : [];
  return {
    savings: savings.filter((saving) => isAsked(saving.kind)),
    wastes: kinds.length === 0 ? [] : await findWaste(ports, { filter, kinds }),
  };
}

function toFilter({ last, org, project }: AdviseOptions): BillFilter {
  return {
    since: last ?? systemClock.now() - USUAL_SPAN_MS,
    ...(org !== undefined && { organizationId: org }),
    ...(project !== undefined && { projectId: project }),
  };
}

interface Line {
  saved: bigint;
  requests: number;
  about: string;
  text: string;
  requestIds: readonly string[];
}

function format({ savings, wastes }: Advice): string[] {
  const lines = [...savings.map(toSavingLine), ...wastes.map(toWasteLine)];
  if (lines.length === 0) return ['nothing found'];
  const rows = lines
    .toSorted((a, b) => Number(b.saved - a.saved))
    .map(({ saved, requests, about, text, requestIds }) => [
      ...[formatUsd(saved), String(requests), about],
      `${text}; such as ${requestIds.slice(0, SHOWN_IDS).join(', ')}`,
    ]);
  return formatTable(['usd', 'requests', 'of', 'finding'], rows);
}

const toSavingLine = (saving: Saving): Line => ({
  ...saving,
  about: `${saving.providerId}/${saving.modelId}`,
  text: describe(saving),
});

const toWasteLine = (waste: ProjectWaste): Line => ({ ...waste, about: waste.sessionId ?? waste.projectId });

function describe({ kind, detail }: Saving): string {
  return kind === 'cheaper_provider'
    ? `${detail} bills less for the same tokens`
    : `prompts of more than ${detail} tokens cost more per token`;
}
