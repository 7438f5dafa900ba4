import type { Clock } from '#base';
import { setTimeout as sleep } from 'node:timers/promises';
import { type OtlpObject, encodeJson, encodeProtobuf } from './encode.ts';
import { metricsRequest } from './messages.ts';
import { type MetricSources, toMetrics } from './to-metrics.ts';
import type { DeliveryResult } from './sender.ts';

interface MetricsExportOptions {
  sender: {
    readonly isJson: boolean;
    send(body: Uint8Array): Promise<DeliveryResult>;
    endRetries(): void;
  };
  sources: MetricSources;
  resource: OtlpObject;
  scope: OtlpObject;
  clock: Pick<Clock, 'now'>;
  everyMs: number;
  /** The collector did not take them; the next ones have the same sums. */
  onLoss(status: number | undefined): void;
}

const NS_PER_MS = 1_000_000n;

/**
 * Sends the metrics at intervals, and once more at the end. Sums are cumulative, so the next export makes up for a lost
 * one.
 */
export class MetricsExport {
  readonly #options: MetricsExportOptions;
  readonly #startNs: bigint;
  readonly #timer: NodeJS.Timeout;
  #sending: Promise<void> | undefined;

  constructor(options: MetricsExportOptions) {
    this.#options = options;
    this.#startNs = BigInt(options.clock.now()) * NS_PER_MS;
    this.#timer = setInterval(() => void this.#send(), options.everyMs).unref();
  }

  /** Sends the last sums; resolves when they are sent or refused, or after this time. */
  async close(limitMs: number): Promise<void> {
    clearInterval(this.#timer);
    this.#options.sender.endRetries();
    const limit = new AbortController();
    await Promise.race([this.#sendLast(), sleep(limitMs, undefined, limit).catch(() => undefined)]);
    limit.abort();
  }

  async #sendLast(): Promise<void> {
    await this.#sending;
    await this.#send();
  }

  /** Skips a turn while the last one is being sent. */
  async #send(): Promise<void> {
    this.#sending ??= this.#sendNow().finally(() => {
      this.#sending = undefined;
    });
    await this.#sending;
  }

  async #sendNow(): Promise<void> {
    const { sender, sources, resource, scope, clock, onLoss } = this.#options;
    const span = { startNs: this.#startNs, nowNs: BigInt(clock.now()) * NS_PER_MS };
    const metrics = toMetrics(sources, span);
    const message = { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }] };
    const body = sender.isJson ? encodeJson(message) : encodeProtobuf(metricsRequest, message);
    const { isAccepted, status } = await sender.send(body);
    if (!isAccepted) onLoss(status);
  }
}
