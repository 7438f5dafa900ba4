import { formatUsd } from '#base';
import type { Histogram } from './histogram.ts';
import type { Count, RequestMetrics } from './request-metrics.ts';
import type { Labels, SeriesMap } from './series.ts';

/** One value of a metric. */
export interface Sample {
  labels?: Labels;
  value: number;
}

/** A metric that is read at each scrape: a sum, or the state of the process and its connections. */
export interface GaugeSource {
  name: string;
  help: string;
  labelNames?: readonly string[];
  /** Whether it only grows. */
  isCounter?: true;
  read(): readonly Sample[];
}

/** A distribution. */
export interface HistogramSource {
  name: string;
  help: string;
  series: SeriesMap<Histogram>;
}

type SeriesOf<Value> = (requests: RequestMetrics) => SeriesMap<Value>;

/** Metrics with one count per series. */
const COUNTS: readonly [name: string, help: string, series: SeriesOf<Count>][] = [
  ['sluice_requests_total', 'Requests with a valid key, by status.', ({ requests }) => requests],
  [
    'sluice_model_requests_total',
    'Requests by the model and provider that answered last.',
    ({ byModel }) => byModel,
  ],
  ['sluice_errors_total', 'Requests that ended with an error, by its code.', ({ errors }) => errors],
  ['sluice_cached_responses_total', 'Responses from the response cache.', ({ replays }) => replays],
  ['sluice_attempts_total', 'Calls of providers, by outcome.', ({ attempts }) => attempts],
  [
    'sluice_fallbacks_total',
    'Requests that another provider or model answered, by the one that was called first.',
    ({ fallbacks }) => fallbacks,
  ],
  [
    'sluice_mirrored_requests_total',
    'Requests selected by a mirror, by the outcome of the copy.',
    ({ mirrors }) => mirrors,
  ],
];

const HISTOGRAMS: readonly [name: string, help: string, series: SeriesOf<Histogram>][] = [
  ['sluice_request_duration_seconds', 'From arrival to the end of the response.', ({ duration }) => duration],
  [
    'sluice_time_to_first_event_seconds',
    'From arrival to the first event of a provider.',
    ({ firstEvent }) => firstEvent,
  ],
  ['sluice_output_tokens_per_second', 'The speed of streams.', ({ speed }) => speed],
];

const TOKEN_TYPES = [
  ['input', 'input'],
  ['cache_read', 'cacheRead'],
  ['cache_write', 'cacheWrite'],
  ['output', 'output'],
  ['reasoning', 'reasoning'],
] as const;

/** The sums of closed requests. */
export function listCounters(requests: RequestMetrics): GaugeSource[] {
  const counts = COUNTS.map(([name, help, seriesOf]) =>
    createCounter({ name, help }, seriesOf(requests), ({ count }) => [{ value: count }]),
  );
  const cost = createCounter(
    {
      name: 'sluice_cost_usd_total',
      help: 'What requests cost: the customer, and the operator at the provider.',
      labelNames: ['payer'],
    },
    requests.cost,
    ({ customer, provider }) => [
      { labels: { payer: 'customer' }, value: Number(formatUsd(customer)) },
      { labels: { payer: 'operator' }, value: Number(formatUsd(provider)) },
    ],
  );
  const tokens = createCounter(
    { name: 'sluice_tokens_total', help: 'Tokens by model, provider and type.', labelNames: ['type'] },
    requests.tokens,
    (sums) => TOKEN_TYPES.map(([type, part]) => ({ labels: { type }, value: sums[part] })),
  );
  return [...counts, cost, tokens];
}

/** The distributions of closed requests. */
export function listHistograms(requests: RequestMetrics): HistogramSource[] {
  return HISTOGRAMS.map(([name, help, seriesOf]) => ({ name, help, series: seriesOf(requests) }));
}

function createCounter<Value>(
  { labelNames = [], ...described }: Pick<GaugeSource, 'name' | 'help' | 'labelNames'>,
  series: SeriesMap<Value>,
  list: (value: Value) => readonly Sample[],
): GaugeSource {
  return {
    ...described,
    labelNames: [...series.names, ...labelNames],
    isCounter: true,
    read: () =>
      [...series].flatMap(({ labels, value }) =>
        list(value).map((sample) => ({ labels: { ...labels, ...sample.labels }, value: sample.value })),
      ),
  };
}
