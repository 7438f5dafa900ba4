import type { Clock } from '#base';
import type { CanonicalRequest, Usage } from '#canonical';
import type { Mapping } from '#catalogue';
import type { TokenRates } from '../request/memory/token-rates.ts';

/** Anthropic's models reason only on request; others do unless it is switched off. */
const REASONS_IF_ASKED: ReadonlySet<Mapping['format']> = new Set(['messages', 'converse']);

interface Worker {
  mapping: Mapping;
  request: Pick<CanonicalRequest, 'stream' | 'reasoning'>;
  clock: Pick<Clock, 'monotonicMs'>;
  rates: TokenRates;
  /** The most output tokens. */
  most: number;
}

/**
 * Estimates how many tokens a provider generated without showing them, by the time it took: an answer that is sent as
 * a whole, and hidden or summarized reasoning.
 */
export class UnseenWork {
  readonly #worker: Worker;
  readonly #isHidden: boolean;
  #most: number;
  #startedMs = 0;
  #ms = 0;
  /** When the current stretch of hidden work began. */
  #sinceMs: number | undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
    this.#most = worker.most;
    this.#isHidden = !worker.request.stream || mayReason(worker);
  }

  /** The request is sent with a lower output limit. */
  boundTokens(most: number): void {
    this.#most = most;
  }

  /** The request was sent. */
  start(): void {
    this.#startedMs = this.#worker.clock.monotonicMs();
    this.hide();
  }

  /** Hidden work begins. */
  hide(): void {
    if (this.#isHidden) this.#sinceMs ??= this.#worker.clock.monotonicMs();
  }

  /** Hidden work ends. */
  show(): void {
    this.#ms += this.#sinceMs === undefined ? 0 : this.#worker.clock.monotonicMs() - this.#sinceMs;
    this.#sinceMs = undefined;
  }

  /** Learns the rate from a complete answer. */
  learn(outputTokens: number): void {
    const { clock, mapping, rates } = this.#worker;
    rates.record(mapping, outputTokens, clock.monotonicMs() - this.#startedMs);
  }

  /** The estimate so far. */
  get tokens(): number {
    const { clock, mapping, rates } = this.#worker;
    const openMs = this.#sinceMs === undefined ? 0 : clock.monotonicMs() - this.#sinceMs;
    if (this.#ms + openMs === 0) return 0;
    return Math.min(this.#most, Math.floor(((this.#ms + openMs) * rates.find(mapping)) / 1_000));
  }

  /** The same as usage; output that a stream does not show is reasoning. */
  get usage(): Pick<Usage, 'outputText' | 'outputReasoning'> {
    const { request } = this.#worker;
    const { tokens } = this;
    return request.stream
      ? { outputText: 0, outputReasoning: tokens }
      : { outputText: tokens, outputReasoning: 0 };
  }
}

function mayReason({ mapping, request: { reasoning } }: Worker): boolean {
  if (!mapping.reasoning || reasoning?.mode === 'off' || reasoning?.effort === 'none') return false;
  return reasoning !== undefined || !REASONS_IF_ASKED.has(mapping.format);
}
