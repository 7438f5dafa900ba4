import type { Log } from './log.ts';
import type { RandomSource } from '#base';
import type { PostBytes } from './otlp/sender.ts';
import type { GaugeSource, HistogramSource } from './request-sources.ts';
import type { SamplingRules } from './tracing/sampling.ts';
import type { ReadContent } from './tracing/traced-bodies.ts';
import type { OtlpObject } from './otlp/encode.ts';
import { createIdentifier, systemClock } from '#base';
import { toAttributes } from './otlp/attributes.ts';
import { MetricsExport } from './otlp/metrics-export.ts';
import { openProcessSources } from './otlp/process-sources.ts';
import { OtlpSender } from './otlp/sender.ts';
import { NAMES } from './tracing/semantic-names.ts';
import { SpanQueue } from './tracing/span-queue.ts';
import { Tracer } from './tracing/tracer.ts';

/** What is exported, and where. */
export interface OtlpSettings {
  /** The whole addresses; absent: not exported. */
  tracesUrl?: string;
  metricsUrl?: string;
  metricsEveryMs: number;
  /** With the receiver's key: never shown. */
  headers: Readonly<Record<string, string>>;
  isJson: boolean;
  rules: SamplingRules;
  /** Whether providers are sent the trace and span of a call. */
  isPropagated: boolean;
  /** Whether spans have the prompts and answers of projects that keep them. */
  hasContent: boolean;
  /** Attributes of this process, with `service.name`. */
  resource: Readonly<Record<string, string>>;
}

export interface OtlpPorts {
  post: PostBytes;
  random: RandomSource;
  log: Log;
  version: string;
  readContent: ReadContent;
  sources: readonly GaugeSource[];
  histograms: readonly HistogramSource[];
}

/** A running export. */
export interface Otlp {
  /** Absent if no traces are exported. */
  tracer?: Tracer;
  /** Requests by what became of their spans. */
  counts(): { exported: number; dropped: number };
  /** Sends what waits, for a few seconds at most. */
  close(): Promise<void>;
}

const DELAY_MS = 2_000;
const FIRST_RETRY_MS = 1_000;
const CLOSE_MS = 5_000;
/** A collector that is down is reported at most this often. */
const REPORT_EVERY_MS = 60_000;

/** The export of a gateway, connected. */
export function createOtlp(settings: OtlpSettings, ports: OtlpPorts): Otlp {
  const { tracesUrl, metricsUrl, rules, isPropagated, hasContent } = settings;
  const { random } = ports;
  const parts = { settings, ports, common: describeProcess(settings, ports) };
  const queue = tracesUrl === undefined ? undefined : openQueue(tracesUrl, parts);
  const metrics = metricsUrl === undefined ? undefined : openMetricsExport(metricsUrl, parts);
  return {
    ...(queue && {
      tracer: new Tracer({ queue, rules, isPropagated, hasContent, clock: systemClock, random }),
    }),
    counts: () => ({ exported: queue?.exported ?? 0, dropped: queue?.dropped ?? 0 }),
    close: async () => {
      await Promise.all([queue?.close(CLOSE_MS), metrics?.close(CLOSE_MS)]);
    },
  };
}
interface Parts {
  settings: OtlpSettings;
  ports: OtlpPorts;
  common: { resource: OtlpObject; scope: OtlpObject };
}

function describeProcess({ resource }: OtlpSettings, { version, random }: OtlpPorts): Parts['common'] {
  const attributes = {
    ...resource,
    [NAMES.serviceVersion]: version,
    [NAMES.serviceInstance]: createIdentifier('instance', random),
  };
  return { resource: { attributes: toAttributes(attributes) }, scope: { name: 'sluice', version } };
}

function openSender(url: string, { settings, ports }: Parts): OtlpSender {
  const { headers, isJson } = settings;
  const { post, random } = ports;
  return new OtlpSender({ url, headers, isJson }, { post, random, firstDelayMs: FIRST_RETRY_MS });
}

function openQueue(url: string, parts: Parts): SpanQueue {
  const onLoss = createLossReport(parts.ports.log, new URL(url).host);
  return new SpanQueue({
    sender: openSender(url, parts),
    ...parts.common,
    readContent: parts.ports.readContent,
    delayMs: DELAY_MS,
    onLoss,
  });
}

function openMetricsExport(url: string, parts: Parts): MetricsExport {
  const { sources, histograms, log } = parts.ports;
  const collector = new URL(url).host;
  return new MetricsExport({
    sender: openSender(url, parts),
    sources: { own: sources, histograms, process: openProcessSources() },
    ...parts.common,
    clock: systemClock,
    everyMs: parts.settings.metricsEveryMs,
    onLoss: (status) => log.warn({ collector, status }, 'the collector did not take the metrics'),
  });
}

/** Names the collector by its host: its address and headers may have a key. */
function createLossReport(log: Log, collector: string): (count: number, status: number | undefined) => void {
  let lastMs = -Infinity;
  let lost = 0;
  return (count, status) => {
    lost += count;
    const nowMs = systemClock.monotonicMs();
    if (nowMs - lastMs < REPORT_EVERY_MS) return;
    lastMs = nowMs;
    const reason = status === undefined ? 'no answer' : `status ${status}`;
    log.warn(
      { collector, requests: lost, reason },
      'the spans of requests were lost: the collector did not take them',
    );
    lost = 0;
  };
}
