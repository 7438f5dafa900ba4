import type { Command } from 'commander';
import { type RouteCandidate, explainRoute } from '#app';
import { type CommonOptions, defineCommand, defineGroup, toOrigin } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';

export function createRouteCommand(): Command {
  const explain = defineCommand({
    name: 'explain',
    summary:
      'Show the providers of a model in the order in which a request tries them, how each does in the running gateways, ' +
      'and why others are not called.',
    examples: ['route explain claude-sonnet-4-5'],
  })
    .argument('<model>', 'a name that requests may use, also provider/model')
    .action(async (name: string, options: CommonOptions) => {
      const found = await withStores(options, (stores) => explainRoute(stores, toOrigin(options), name));
      if ('closest' in found) {
        const hint = found.closest.length > 0 ? `; did you mean ${found.closest.join(', ')}?` : '';
        throw new Error(`there is no model ${name} to call${hint}`);
      }
      print(options, found, () => formatCandidates(found.candidates));
    });
  return defineGroup('route', 'See which provider answers.', [explain]);
}

function formatCandidates(candidates: readonly RouteCandidate[]): string[] {
  const called = candidates.filter(({ reason }) => reason === null).length;
  return formatTable(
    ['', 'provider', 'model', 'usd/m in', 'usd/m out', 'health', 'failed', 'first event', 'tokens/s'],
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
    ]),
  );
}

function describeProvider({ provider, credential, weight }: RouteCandidate): string {
  return credential === null ? provider : `${provider} (${credential}, weight ${weight ?? 1})`;
}

function describeHealth({ health, paused_seconds }: RouteCandidate): string {
  return paused_seconds === null ? health : `${health}, paused ${paused_seconds} s`;
}
