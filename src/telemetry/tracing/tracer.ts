import type { Clock, HttpHeaders, RandomSource } from '#base';
import type { SamplingRules } from './sampling.ts';
import type { SpanQueue } from './span-queue.ts';
import { type TracedRequest, hasFailed } from './build-spans.ts';
import { RequestTrace } from './request-trace.ts';
import { readTraceContext } from './trace-context.ts';

interface TracerOptions {
  queue: Pick<SpanQueue, 'add'>;
  rules: SamplingRules;
  isPropagated: boolean;
  hasContent?: boolean;
  clock: Pick<Clock, 'monotonicMs'>;
  random: RandomSource;
}

/** Traces requests: decides which are exported, and passes those on when they have ended. */
export class Tracer {
  readonly #options: TracerOptions;

  constructor(options: TracerOptions) {
    this.#options = options;
  }

  start(headers: HttpHeaders, startedMs: number): RequestTrace {
    const { rules, isPropagated, hasContent = false, random } = this.#options;
    return new RequestTrace(readTraceContext(headers), {
      startedMs,
      rules,
      isPropagated,
      hasContent,
      random,
    });
  }

  /** A request has ended; one without a trace, such as a job, is traced by its row alone. */
  end(row: TracedRequest, begun?: RequestTrace): void {
    const { queue, rules, clock } = this.#options;
    const trace = begun ?? this.start({}, clock.monotonicMs() - row.durationMs);
    if (!trace.isSampled && !(rules.keepsErrors && hasFailed(row))) return;
    trace.onRecorded((bodies) => queue.add({ row, trace, bodies }));
  }
}
