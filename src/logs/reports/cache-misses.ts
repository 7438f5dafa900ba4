import {
  choice,
  derived,
  described,
  listOf,
  membersOf,
  number,
  objectOf,
  outputText,
  reportOf,
  tableOf,
  textList,
  usd,
} from '#fields';
import { toTenants } from '../rows/log-filter.ts';
import { MISS_CODES } from '../rows/miss.ts';
import type { CacheMisses, CacheReport, MissSum, SavedSum } from '../prompt-cache/miss-sums.ts';
import { periodOf, requestFilters } from '../request-inputs.ts';

const sums = membersOf<Pick<MissSum, 'requests' | 'tokens' | 'cost'>>()({
  requests: number(),
  tokens: number('What could have been read from the prompt cache and was not.'),
  cost: usd,
});

const missSum = objectOf<MissSum>()(
  {
    organizationId: outputText(),
    projectId: outputText(),
    reason: described('The first reason of each request.', choice(MISS_CODES)),
    ...sums,
    requestIds: described('The most expensive of them.', textList('')),
  },
  { name: 'cache_misses' },
);

const saved = described(
  'USD: what the same tokens would have cost uncached, less what they cost; negative if it was a loss.',
  usd,
);

const savedSum = objectOf<SavedSum>()(
  {
    organizationId: outputText(),
    projectId: outputText(),
    requests: number('Requests in which the gateway set cache marks.'),
    saved,
  },
  { name: 'cache_marks' },
);

const NONE = 'no request of a session missed the prompt cache';

const addUp = ({ misses }: CacheReport): Pick<MissSum, 'requests' | 'tokens' | 'cost'> =>
  misses.reduce(
    (sum, { requests, tokens, cost }) => ({
      requests: sum.requests + requests,
      tokens: sum.tokens + tokens,
      cost: sum.cost + cost,
    }),
    { requests: 0, tokens: 0, cost: 0n },
  );

export const cacheMissesReport = reportOf<{ cacheMisses: CacheMisses }>()({
  path: 'cache_misses',
  summary:
    'Sum up what missed prompt caches cost, by project and reason, and what cache marks saved that were set.',
  scope: 'logs:read',
  filters: { ...requestFilters('organizationId', 'projectId'), ...periodOf(7) },
  answer: 'The sums, the most expensive first, and their total.',
  output: objectOf<CacheReport>()(
    {
      data: derived(listOf(missSum), ({ misses }: CacheReport) => misses),
      total: derived(objectOf<ReturnType<typeof addUp>>()(sums), addUp),
      marks: listOf(savedSum, 'Of projects with `cache_marks`.'),
      saved: derived(saved, ({ marks }: CacheReport) => marks.reduce((sum, one) => sum + one.saved, 0n)),
    },
    { name: 'list' },
  ),
  read: ({ cacheMisses, input }) => cacheMisses.list(input, toTenants(input)),
  findNothing: () => ({ misses: [], marks: [] }),
  command: {
    heading: 'Usage and cost',
    name: 'cache-misses',
    summary:
      'Sum up what sessions paid for prompts that were not read from the prompt cache, by reason, and what set marks saved.',
    examples: ['cache-misses', 'cache-misses --project prj_… --since 1d', 'cache-misses --json'],
    isEmpty: ({ misses, marks }) => misses.length + marks.length === 0,
    empty: NONE,
    format: (found) => [...formatSums(found), ...formatMarks(found)],
  },
});

function formatSums(found: CacheReport) {
  if (found.misses.length === 0) return [NONE];
  const all = { ...addUp(found), reason: 'all', projectId: '' };
  const columns = {
    reason: 'reason',
    project: 'projectId',
    requests: 'requests',
    tokens: 'tokens',
    usd: 'cost',
  } as const;
  return [tableOf<typeof all>(columns, [...found.misses, all])];
}

/** The savings by marks that the gateway set. */
function formatMarks({ marks }: CacheReport) {
  const columns = { 'marked in project': 'projectId', requests: 'requests', 'usd saved': 'saved' } as const;
  return marks.length === 0 ? [] : ['', tableOf(columns, marks)];
}
