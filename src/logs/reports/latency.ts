import {
  type OutputType,
  derived,
  filter,
  mapOf,
  named,
  nullableOutput,
  number,
  objectOf,
  outputText,
  parsed,
  real,
  reportOf,
  wholeList,
} from '#fields';
import { toTenants } from '../rows/log-filter.ts';
import type { LatencyLine, LatencyReader } from '../latency/latency.ts';
import type { Percentiles } from '../latency/percentiles.ts';
import { LATENCY_GROUPS, type LatencyGroup } from '../latency/select-latency.ts';
import { answeredBy, describeHours, periodOf, requestFilters } from '../request-inputs.ts';

const GROUPS = LATENCY_GROUPS.join(', ');

/** Buckets are wider than three digits. */
const ms: OutputType<number> = { ...real(), encode: (value) => Number(value.toPrecision(3)) };

const percentiles = nullableOutput(
  objectOf<Percentiles>()({
    requests: derived(number('How many answers were measured; exact.'), ({ count }: Percentiles) => count),
    p50: named('p50', ms),
    p95: named('p95', ms),
    p99: named('p99', ms),
  }),
  'Milliseconds, interpolated within buckets that are 9 % wide; null without answers.',
);

const line = objectOf<LatencyLine>()(
  {
    group: mapOf(outputText()),
    firstToken: named('time_to_first_token', percentiles),
    duration: percentiles,
  },
  { name: 'latency' },
);

export const latencyReport = reportOf<{ latency: LatencyReader }>()({
  path: 'latency',
  summary: 'Percentiles of the time to first token and of the duration of answers, over any period.',
  scope: 'logs:read',
  isForMembers: true,
  filters: {
    by: filter(
      parsed(readGroups, `some of ${GROUPS}, each once`),
      `What to group by, separated by commas: ${GROUPS}; a single line by default.`,
    ),
    ...requestFilters('organizationId', 'projectId', 'memberId'),
    ...answeredBy,
    ...periodOf(1, describeHours),
  },
  answer: 'A line for each group, 1,000 at most: those with the most answers.',
  output: wholeList(line),
  read: ({ latency, input }) => latency.list(input, toTenants(input)),
  findNothing: () => [],
});

function readGroups(text: string): LatencyGroup[] | undefined {
  const words = text.split(',').map((word) => word.trim());
  const groups = LATENCY_GROUPS.filter((name) => words.includes(name));
  return groups.length === words.length ? groups : undefined;
}
