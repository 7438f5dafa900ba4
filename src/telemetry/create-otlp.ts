import type { Log } from './log.ts';
import type { Chance } from '#base';
import type { Post } from './otlp/sender.ts';
import type { SamplingRules } from './tracing/sampling.ts';
import { createIdentifier, systemClock } from '#base';
import { toAttributes } from './otlp/attributes.ts';
import { Sender } from './otlp/sender.ts';
import { NAMES } from './tracing/semantic-names.ts';
import { SpanQueue } from './tracing/span-queue.ts';
import { Tracer } from './tracing/tracer.ts';

/** What is exported, and where. */
export interface OtlpSettings {
  /** The whole address. */
  tracesUrl: string;
  /** With the receiver's key: never shown. */
  headers: Readonly<Record<string, string>>;
  isJson: boolean;
  rules: SamplingRules;
  /** Whether providers are sent the trace and span of a call. */
  isPropagated: boolean;
  /** Attributes of this process, with `service.name`. */
  resource: Readonly<Record<string, string>>;
}

export interface OtlpPorts {
  post: Post;
  chance: Chance;
  log: Log;
  version: string;
}

/** A running export. */
export interface Otlp {
  tracer: Tracer;
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
  const { post, chance, log, version } = ports;
  const { tracesUrl: url, headers, isJson, rules, isPropagated } = settings;
  const attributes = {
    ...settings.resource,
    [NAMES.serviceVersion]: version,
    [NAMES.serviceInstance]: createIdentifier('instance', chance),
  };
  const queue = new SpanQueue({
    sender: new Sender({ url, headers, isJson }, { post, chance, firstDelayMs: FIRST_RETRY_MS }),
    resource: { attributes: toAttributes(attributes) },
    scope: { name: 'sluice', version },
    delayMs: DELAY_MS,
    onLoss: createLossReport(log, new URL(url).host),
  });
  return {
    tracer: new Tracer({ queue, rules, isPropagated, clock: systemClock, chance }),
    counts: () => ({ exported: queue.exported, dropped: queue.dropped }),
    close: () => queue.close(CLOSE_MS),
  };
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
