import type { BillFilter, Saving } from '#app';
import type { Command } from 'commander';
import { findSavings, loadByokTerms } from '#app';
import { formatUsd, systemClock } from '#base';
import { type CommonOptions, defineCommand, toOrigin } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { readSince } from '../terminal/read-time.ts';
import { formatTable } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';

interface AdviseOptions extends CommonOptions {
  last?: number;
  org?: string;
  project?: string;
}

const USUAL_SPAN_MS = 7 * 86_400_000;

export function createAdviseCommand(): Command {
  return defineCommand({
    name: 'advise',
    summary:
      'Find what would have cost less: other providers of the same models, prompts beyond a price step.',
    examples: ['advise', 'advise --last 30d --project prj_…', 'advise --json'],
  })
    .option('--last <time>', 'requests since then: 30m, 2h, 7d or an ISO time (default: 7d)', readSince)
    .option('--org <id>', 'only this organization')
    .option('--project <id>', 'only this project')
    .action(async (options: AdviseOptions) => {
      const findings = await withStores(options, async ({ bills, database }) => {
        const { catalogue } = await loadByokTerms(toOrigin(options), database);
        return await findSavings({ bills, catalogue, now: systemClock.now() }, toFilter(options));
      });
      print(options, { object: 'list', data: findings.map(encode) }, () => format(findings));
    });
}

function toFilter({ last, org, project }: AdviseOptions): BillFilter {
  return {
    since: last ?? systemClock.now() - USUAL_SPAN_MS,
    ...(org !== undefined && { organizationId: org }),
    ...(project !== undefined && { projectId: project }),
  };
}

const encode = ({ kind, modelId, providerId, detail, requests, saved, requestIds }: Saving) => ({
  object: 'finding',
  kind,
  model_id: modelId,
  provider_id: providerId,
  ...(kind === 'cheaper_provider' ? { other_provider_id: detail } : { above_input_tokens: Number(detail) }),
  requests,
  saved: formatUsd(saved),
  request_ids: [...requestIds],
});

function format(findings: readonly Saving[]): string[] {
  if (findings.length === 0) return ['nothing found'];
  const rows = findings.map((finding) => [
    ...[formatUsd(finding.saved), String(finding.requests), finding.modelId, finding.providerId],
    `${describe(finding)}; such as ${finding.requestIds.join(', ')}`,
  ]);
  return formatTable(['usd', 'requests', 'model', 'provider', 'finding'], rows);
}

function describe({ kind, detail }: Saving): string {
  return kind === 'cheaper_provider'
    ? `${detail} bills less for the same tokens`
    : `prompts of more than ${detail} tokens cost more per token`;
}
