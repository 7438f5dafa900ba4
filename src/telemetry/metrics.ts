import { Counter, Gauge, type Metric, Registry, collectDefaultMetrics } from 'prom-client';
import { formatUsd } from '#base';
import type { Histogram } from './histogram.ts';
import { type ClosedRequest, type Count, RequestMetrics } from './request-metrics.ts';
import type { Labels, SeriesBook } from './series.ts';

/** One value of a metric. */
export interface Sample {
  labels?: Labels;
  value: number;
}

/** Something that is read when the metrics are: the state of the process, of its connections. */
export interface GaugeSource {
  name: string;
  help: string;
  labelNames?: readonly string[];
  /** Whether it only grows. */
  isCounter?: true;
  read(): readonly Sample[];
}

/** The gateway's metrics in the Prometheus format. */
export class Metrics {
  readonly #requests = new RequestMetrics();
  readonly #registry = new Registry();

  constructor(gauges: readonly GaugeSource[]) {
    collectDefaultMetrics({ register: this.#registry });
    addRequestMetrics(this.#registry, this.#requests);
    for (const gauge of gauges) addGauge(this.#registry, gauge);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  requestClosed(request: ClosedRequest): void {
    this.#requests.add(request);
  }

  mirrored(mirror: string, outcome: string): void {
    this.#requests.mirrors.of(mirror, outcome).count += 1;
  }

  print(): Promise<string> {
    return this.#registry.metrics();
  }
}

interface Described<Value> {
  name: string;
  help: string;
  book: SeriesBook<Value>;
  /** Labels besides those of the series. */
  labelNames?: readonly string[];
}

/** Of what there is one count per series. */
const COUNTS: readonly [name: string, help: string, book: (requests: RequestMetrics) => SeriesBook<Count>][] =
  [
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
      'Requests that another provider answered, by the provider called first.',
      ({ fallbacks }) => fallbacks,
    ],
    [
      'sluice_mirrored_requests_total',
      'Requests selected by a mirror, by what became of the copy.',
      ({ mirrors }) => mirrors,
    ],
  ];

const HISTOGRAMS: readonly [
  name: string,
  help: string,
  book: (requests: RequestMetrics) => SeriesBook<Histogram>,
][] = [
  ['sluice_request_duration_seconds', 'From arrival to the end of the response.', ({ duration }) => duration],
  [
    'sluice_time_to_first_event_seconds',
    'From arrival to the first event of a provider.',
    ({ firstEvent }) => firstEvent,
  ],
  ['sluice_output_tokens_per_second', 'The speed of streams.', ({ speed }) => speed],
];

function addRequestMetrics(registry: Registry, requests: RequestMetrics): void {
  for (const [name, help, bookOf] of COUNTS)
    addCounter(registry, { name, help, book: bookOf(requests) }, ({ count }) => [{ value: count }]);
  for (const [name, help, bookOf] of HISTOGRAMS)
    addHistogram(registry, { name, help, book: bookOf(requests) });
  addCounter(
    registry,
    {
      name: 'sluice_cost_usd_total',
      help: 'What requests cost: the customer, and the operator at the provider.',
      book: requests.cost,
      labelNames: ['payer'],
    },
    ({ customer, provider }) => [
      { labels: { payer: 'customer' }, value: Number(formatUsd(customer)) },
      { labels: { payer: 'operator' }, value: Number(formatUsd(provider)) },
    ],
  );
  addCounter(
    registry,
    {
      name: 'sluice_tokens_total',
      help: 'Tokens by provider and type.',
      book: requests.tokens,
      labelNames: ['type'],
    },
    (tokens) => TOKEN_TYPES.map(([type, part]) => ({ labels: { type }, value: tokens[part] })),
  );
}

const TOKEN_TYPES = [
  ['input', 'input'],
  ['cache_read', 'cacheRead'],
  ['cache_write', 'cacheWrite'],
  ['output', 'output'],
  ['reasoning', 'reasoning'],
] as const;

function addCounter<Value>(
  registry: Registry,
  { name, help, book, labelNames = [] }: Described<Value>,
  list: (value: Value) => readonly Sample[],
): void {
  const counter = new Counter({
    name,
    help,
    labelNames: [...book.names, ...labelNames],
    registers: [registry],
    collect: () => {
      counter.reset();
      for (const { labels, value } of book)
        for (const sample of list(value)) counter.inc({ ...labels, ...sample.labels }, sample.value);
    },
  });
}

function addGauge(registry: Registry, source: GaugeSource): void {
  const { name, help, labelNames = [], isCounter, read } = source;
  if (isCounter) {
    addSums(registry, source);
    return;
  }
  const gauge = new Gauge({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect: () => {
      gauge.reset();
      for (const { labels = {}, value } of read()) gauge.set({ ...labels }, value);
    },
  });
}

function addSums(registry: Registry, { name, help, labelNames = [], read }: GaugeSource): void {
  const counter = new Counter({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect: () => {
      counter.reset();
      for (const { labels = {}, value } of read()) counter.inc({ ...labels }, value);
    },
  });
}

/** `prom-client` has no way to set the counts of its own histograms. */
function addHistogram(registry: Registry, { name, help, book }: Described<Histogram>): void {
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: [...book].flatMap(({ labels, value }) => listBuckets(name, labels, value)),
  });
  registry.registerMetric({ name, get } as unknown as Metric);
}

function listBuckets(name: string, labels: Labels, { bounds, counts, sum }: Histogram) {
  let count = 0;
  const buckets = counts.map((within, at) => {
    count += within;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[at] ?? '+Inf' }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
