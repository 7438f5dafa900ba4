import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import {
  CLIENT_FORMATS,
  type ClientFormatId,
  type RouteCandidate,
  type RouteExplanation,
  explainRoute,
  readAskedRoute,
} from '#app';
import { type CommonOptions, defineCommand, defineGroup, toOrigin } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';

interface RouteOptions extends CommonOptions {
  request?: string;
  format?: ClientFormatId;
}

export function createRouteCommand(): Command {
  const explain = defineCommand({
    name: 'explain',
    summary:
      'Show the providers of a model in the order in which a request tries them, how each does in the running gateways, ' +
      'and why others are not called.',
    examples: ['route explain claude-sonnet-4-5', 'route explain claude-sonnet-4-5 --request body.json'],
  })
    .argument('<model>', 'a name that requests may use, also provider/model')
    .option('--request <file>', 'for the request whose JSON body is in this file')
    .addOption(
      new Option('--format <format>', 'the format of the request (default: by its members)').choices([
        ...CLIENT_FORMATS,
      ]),
    )
    .action(async (model: string, options: RouteOptions) => {
      const { request, format } = options;
      const asked =
        request === undefined
          ? undefined
          : await readAskedRoute(await readFile(request, 'utf8'), model, format);
      const question = { model, ...(asked && { asked }) };
      const found = await withStores(options, (stores) => explainRoute(stores, toOrigin(options), question));
      if ('closest' in found) {
        const hint = found.closest.length > 0 ? `; did you mean ${found.closest.join(', ')}?` : '';
        throw new Error(`there is no model ${found.name} to call${hint}`);
      }
      print(options, found, () => formatRoute(found));
    });
  return defineGroup('route', 'See which provider answers.', [explain]);
}

function formatRoute({ candidates, strategy, measure, first }: RouteExplanation): string[] {
  const why = first === null ? [] : [`strategy ${strategy}; first: ${first}; score: ${measure}`];
  return [...why, ...formatCandidates(candidates)];
}

function formatCandidates(candidates: readonly RouteCandidate[]): string[] {
  const called = candidates.filter(({ reason }) => reason === null).length;
  return formatTable(
    [
      '',
      'provider',
      'model',
      'usd/m in',
      'usd/m out',
      'health',
      'failed',
      'first event',
      'tokens/s',
      'score',
    ],
    candidates.map((candidate, index) => [
      index < called ? String(index + 1) : '–',
      describeProvider(candidate),
      candidate.model,
      candidate.input ?? '?',
      candidate.output ?? '?',
      candidate.reason ?? describeHealth(candidate),
      candidate.failed_share === null ? '' : `${Math.round(candidate.failed_share * 100)} %`,
      candidate.first_event_ms === null ? '' : `${candidate.first_event_ms} ms`,
      candidate.tokens_per_second === null ? '' : String(candidate.tokens_per_second),
      candidate.score === null ? '' : String(Math.round(candidate.score * 1_000) / 1_000),
    ]),
  );
}

function describeProvider({ provider, credential, weight }: RouteCandidate): string {
  return credential === null ? provider : `${provider} (${credential}, weight ${weight ?? 1})`;
}

function describeHealth({ health, paused_seconds }: RouteCandidate): string {
  return paused_seconds === null ? health : `${health}, paused ${paused_seconds} s`;
}
