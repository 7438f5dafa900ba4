import { formatCount, formatUsd } from '#base';
import type { Catalogue } from '#catalogue';
import {
  type ReportCall,
  derived,
  described,
  filter,
  listOf,
  membersOf,
  named,
  nullableOutput,
  number,
  objectOf,
  outputText,
  reportOf,
  requiredFilter,
  tableOf,
  text,
  textList,
  usd,
} from '#fields';
import { BILL_OWNERS, type BillFilter, type BillReader, periodOf, requestFilters, toTenants } from '#logs';
import { formatEstimates } from './format-estimates.ts';
import {
  type ExcludedRequests,
  type WhatIf,
  type WhatIfLine,
  type WhatIfSource,
  askWhatIf,
} from './what-if.ts';

const counts = membersOf<ExcludedRequests>()({ requests: number(), actual: named('actual_cost', usd) });

const estimateMembers = membersOf<WhatIfLine>()({
  modelId: outputText(),
  providerId: outputText(),
  ...counts,
  cost: described('What these requests would have cost.', usd),
});

/** The line of one provider, in JSON of any kind. */
export const estimateType = objectOf<WhatIfLine>()(estimateMembers);

const leftOut = objectOf<ExcludedRequests>()(
  { reason: outputText(), ...counts },
  { description: 'Requests that are not compared.' },
);

const nameOrNull = nullableOutput(outputText());

const source = objectOf<WhatIfSource>()({
  modelId: derived(nameOrNull, ({ modelId }: WhatIfSource) => modelId || null),
  providerId: derived(nameOrNull, ({ providerId }: WhatIfSource) => providerId || null),
  ...counts,
});

interface WhatIfPorts {
  bills: BillReader;
  catalogue(): Catalogue | Promise<Catalogue>;
}

type Call = ReportCall<WhatIfPorts, BillFilter & { other: string }>;

async function readWhatIf({ bills, catalogue, now, input }: Call): Promise<WhatIf> {
  const { other: model, ...filter } = input;
  const ports = { bills, catalogue: await catalogue(), now };
  return askWhatIf(ports, { model, filter, tenants: toTenants(filter) });
}

export const whatIfReport = reportOf<WhatIfPorts>()({
  path: 'what_if',
  summary: 'What the same usage would have cost if another model had answered.',
  scope: 'logs:read',
  filters: {
    other: requiredFilter(named('model', text()), 'The other model, or `provider/model`; required.', {
      flags: '--model <name>',
      help: 'the other model, or provider/model',
    }),
    ...requestFilters(...BILL_OWNERS),
    model: filter(named('from_model', text()), 'Only requests that this model answered.', '--from <model>'),
    ...periodOf(30),
  },
  answer: 'A line for each provider of the model, the cheapest first, and the assumptions.',
  output: objectOf<WhatIf>()(
    {
      lines: named(
        'data',
        listOf(
          objectOf<WhatIfLine>()({ ...estimateMembers, leftOut: listOf(leftOut) }, { name: 'what_if_line' }),
        ),
      ),
      sources: listOf(source, 'What answered.'),
      assumptions: textList(''),
    },
    { name: 'what_if' },
  ),
  read: readWhatIf,
  // The models are checked, too; no request is of that time.
  findNothing: (call) => readWhatIf({ ...call, input: { ...call.input, since: Infinity } }),
  command: {
    heading: 'Usage and cost',
    name: 'what-if',
    summary: 'Show what the same usage would have cost if another model had answered.',
    examples: [
      'what-if --model gpt-5-mini',
      'what-if --model claude-haiku-5-5 --from claude-opus-5-5 --last 7d',
      'what-if --model gpt-5-mini --client claude-code --user ann',
      'what-if --model gpt-5-mini --session 5f6c… --json',
    ],
    isEmpty: ({ sources }) => sources.every(({ requests }) => requests === 0),
    empty: 'no requests in this time',
    format: ({ lines, sources, assumptions }) => [
      formatEstimates(lines),
      ...lines.flatMap(describeLeftOut),
      '',
      tableOf<WhatIfSource>(SOURCE_COLUMNS, sources),
      '',
      ...assumptions,
    ],
  },
});

const SOURCE_COLUMNS = {
  'answered by': ({ modelId }: WhatIfSource) => modelId || 'none',
  provider: 'providerId',
  requests: 'requests',
  usd: 'actual',
} as const;

const describeLeftOut = ({ providerId, leftOut: some }: WhatIfLine): string[] =>
  some.map(
    ({ reason, requests, actual }) =>
      `${providerId}: ${formatCount(requests, 'request')} for ${formatUsd(actual)} left out: ${reason}`,
  );
