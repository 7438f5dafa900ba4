import type { RandomSource } from '#base';
import type { TracedBodies } from './traced-bodies.ts';
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
  readonly #random: RandomSource;
  readonly #isPropagated: boolean;
  readonly #hasContent: boolean;
  #isRecording = false;
  #bodies: TracedBodies | undefined;
  #onRecorded: ((bodies: TracedBodies) => void) | undefined;

  constructor(parent: TraceContext | undefined, options: TraceOptions) {
    this.parent = parent;
    this.startedMs = options.startedMs;
    this.#random = options.random;
    this.#isPropagated = options.isPropagated;
    this.#hasContent = options.hasContent ?? false;
    this.#ids = Buffer.allocUnsafe(TRACE_ID_BYTES + SPAN_ID_BYTES);
    options.random(this.#ids);
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
    this.#random(bytes);
    return bytes.toString('hex');
  }

  /** The context of a call, if it is sent to providers. */
  beginCall(): { spanId: string; traceparent: string } | undefined {
    if (!this.#isPropagated) return undefined;
    const spanId = this.createSpanId();
    const context = { traceId: this.traceId, spanId, isSampled: this.isSampled };
    return { spanId, traceparent: formatTraceparent(context) };
  }

  /** The bodies of this request are recorded: its project keeps them. */
  expectBodies(): void {
    this.#isRecording = this.#hasContent;
  }

  /** What was recorded; called once, after the last byte of the answer. */
  recordBodies(bodies: TracedBodies): void {
    if (!this.#isRecording) return;
    this.#isRecording = false;
    if (this.#onRecorded) this.#onRecorded(bodies);
    else this.#bodies = bodies;
  }

  /** Runs once nothing is missing: the row of a request is written before its last byte is sent. */
  onRecorded(run: (bodies: TracedBodies | undefined) => void): void {
    if (this.#isRecording) {
      this.#onRecorded = run;
      return;
    }
    run(this.#bodies);
    this.#bodies = undefined;
  }

  recordAttempt(times: AttemptTimes): void {
    this.attempts.push(times);
  }
}

interface TraceOptions {
  startedMs: number;
  rules: SamplingRules;
  /** Whether providers receive the trace and span ids of the call. */
  isPropagated: boolean;
  /** Whether content is exported; it is not by default. */
  hasContent?: boolean;
  random: RandomSource;
}
