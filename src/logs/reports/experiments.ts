import {
  type OutputType,
  filter,
  forOperator,
  named,
  nullableOutput,
  number,
  objectOf,
  outputText,
  real,
  reportOf,
  tableOf,
  text,
  usd,
  wholeList,
} from '#fields';
import type { ExperimentLine, Experiments } from '../experiments.ts';
import { toTenants } from '../rows/log-filter.ts';
import { periodOf, requestFilters } from '../request-inputs.ts';

const ms = (description?: string): OutputType<number | null> => nullableOutput(real(), description);

const variant = objectOf<ExperimentLine>()(
  {
    experiment: outputText('Its name; `mirror/NAME` for a mirror.'),
    variant: outputText('Its name, `control` for the control group; `copy` or `original` of a mirror.'),
    requests: number(),
    answered: number('Of these, with an answer.'),
    calls: number('Calls of providers.'),
    first_event_ms: ms('The median; null without streams.'),
    first_event_p95_ms: named('first_event_p95_ms', ms()),
    duration_ms: ms('The median.'),
    duration_p95_ms: named('duration_p95_ms', ms()),
    input_tokens: number(),
    output_tokens: number(),
    customer: named('customer_cost', usd),
    provider: forOperator(named('provider_cost', usd)),
  },
  { name: 'experiment_variant' },
);

export const experimentsReport = reportOf<{ experiments: Experiments }>()({
  path: 'experiments',
  summary: 'Compare the variants of experiments, and the copies of mirrors with their originals.',
  scope: 'logs:read',
  filters: {
    ...requestFilters('organizationId'),
    projectId: filter(
      text(),
      'Only requests of this project; of mirrors, where the copy or its original is of this project.',
      '--project <id>',
    ),
    ...periodOf(7),
  },
  answer: 'The variants, by experiment or mirror.',
  output: wholeList(variant),
  read: ({ experiments, input }) => experiments.list(input, toTenants(input)),
  findNothing: () => [],
  command: {
    heading: 'Usage and cost',
    name: 'experiments',
    summary:
      'Compare the variants of experiments (`routing.experiments` of the configuration), and the copies of mirrors ' +
      '(`routing.mirrors`) with their originals.',
    examples: ['experiments', 'experiments --since 24h --json'],
    isEmpty: (lines) => lines.length === 0,
    empty: 'no requests took part in an experiment or were mirrored',
    format: (lines) => [
      tableOf<ExperimentLine>(
        {
          experiment: 'experiment',
          variant: 'variant',
          requests: 'requests',
          answered: ({ answered, requests }) => `${Math.round((answered / requests) * 1_000) / 10} %`,
          calls: 'calls',
          'first event p50/p95': (line) => formatTimes(line.first_event_ms, line.first_event_p95_ms),
          'duration p50/p95': (line) => formatTimes(line.duration_ms, line.duration_p95_ms),
          in: 'input_tokens',
          out: 'output_tokens',
          'customer usd': 'customer',
          'provider usd': 'provider',
        },
        lines,
      ),
    ],
  },
});

function formatTimes(median: number | null, high: number | null): string {
  return median === null || high === null ? '–' : `${Math.round(median)}/${Math.round(high)} ms`;
}
