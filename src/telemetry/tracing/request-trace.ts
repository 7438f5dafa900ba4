import type { Chance } from '#base';
import { type SamplingRules, isSampled } from './sampling.ts';
import { type TraceContext, formatTraceparent } from './trace-context.ts';

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

/** When a call of a provider began and ended, on the monotonic clock. */
export interface AttemptTimes {
  startedMs: number;
  endedMs: number;
  /** Set if it was sent to the provider. */
  spanId?: string | undefined;
}

/** What is recorded of a request while it runs: its ids and plain numbers. Spans are built after its end. */
export class RequestTrace {
  readonly parent: TraceContext | undefined;
  /** Decided at the start, so that the provider's decision can be the same. */
  readonly isSampled: boolean;
  /** In the order of the row's attempts. */
  readonly attempts: AttemptTimes[] = [];
  readonly startedMs: number;
  readonly #ids: Buffer;
  readonly #chance: Chance;
  readonly #isPropagated: boolean;

  constructor(parent: TraceContext | undefined, options: TraceOptions) {
    this.parent = parent;
    this.startedMs = options.startedMs;
    this.#chance = options.chance;
    this.#isPropagated = options.isPropagated;
    this.#ids = Buffer.allocUnsafe(TRACE_ID_BYTES + SPAN_ID_BYTES);
    options.chance(this.#ids);
    if (parent) this.#ids.write(parent.traceId, 'hex');
    this.isSampled = isSampled(options.rules, parent, this.#ids.subarray(0, TRACE_ID_BYTES));
  }

  get traceId(): string {
    return this.#ids.toString('hex', 0, TRACE_ID_BYTES);
  }

  get spanId(): string {
    return this.#ids.toString('hex', TRACE_ID_BYTES);
  }

  /** The id of a further span of this trace. */
  createSpanId(): string {
    const bytes = Buffer.allocUnsafe(SPAN_ID_BYTES);
    this.#chance(bytes);
    return bytes.toString('hex');
  }

  /** The context of a call, if it is sent to providers. */
  beginCall(): { spanId: string; traceparent: string } | undefined {
    if (!this.#isPropagated) return undefined;
    const spanId = this.createSpanId();
    const context = { traceId: this.traceId, spanId, isSampled: this.isSampled };
    return { spanId, traceparent: formatTraceparent(context) };
  }

  noteAttempt(times: AttemptTimes): void {
    this.attempts.push(times);
  }
}

export interface TraceOptions {
  startedMs: number;
  rules: SamplingRules;
  /** Whether providers receive the trace and span ids of the call. */
  isPropagated: boolean;
  chance: Chance;
}
