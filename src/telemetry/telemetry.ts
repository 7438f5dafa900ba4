import type { GatewayError, UpstreamFailure } from '#errors';
import type { Log } from './log.ts';
import type { ClosedRequest, RequestMetrics } from './request-metrics.ts';
import type { TracedRequest } from './tracing/build-spans.ts';
import type { RequestTrace } from './tracing/request-trace.ts';
import type { Tracer } from './tracing/tracer.ts';

interface AttemptFacts {
  requestId: string;
  providerId: string;
  externalId: string;
  /** Why it was made, and how long the request waited for it. */
  reason: string;
  waitedMs: number;
  durationMs: number;
}

/** What became of the copy of a request. */
interface MirrorFacts {
  mirror: string;
  /** The id of the original. */
  requestId: string;
  /** `full`: too many are under way; `stopped`: the gateway stops; `refused`: the key that pays is not valid. */
  outcome: 'sent' | 'full' | 'stopped' | 'refused';
  detail?: string;
}

/** One function per business event. */
export interface Telemetry {
  /** A request has arrived; undefined where requests are not traced. */
  startTrace: Tracer['start'] | undefined;
  /** A request with a valid key has ended and its row is written. */
  requestClosed(request: TracedRequest, trace?: RequestTrace): void;
  /** A call of a provider has ended without a failure of it. */
  attemptEnded(facts: AttemptFacts & { outcome: string }): void;
  /** A provider failed; another may still answer. */
  attemptFailed(facts: AttemptFacts, failure: UpstreamFailure): void;
  /** A request was selected by a mirror. */
  mirrored(facts: MirrorFacts): void;
  /** An error that is the gateway's own fault. */
  faulted(requestId: string, error: GatewayError): void;
  /** The row of a request could not be written. */
  settlementFailed(requestId: string, error: GatewayError): void;
}

export function createTelemetry(log: Log, counts?: RequestMetrics, tracer?: Tracer): Telemetry {
  return {
    startTrace: tracer && ((headers, startedMs) => tracer.start(headers, startedMs)),
    requestClosed: (request, trace) => {
      counts?.add(request);
      tracer?.end(request, trace);
      log.debug(summarize(request), 'request closed');
    },
    attemptEnded: (facts) => log.debug({ ...facts }, 'attempt ended'),
    attemptFailed: (facts, failure) =>
      log.warn(
        { ...facts, kind: failure.kind, status: failure.status, detail: failure.detail },
        'attempt failed',
      ),
    mirrored: ({ outcome, ...facts }) => {
      counts?.addMirrored(facts.mirror, outcome);
      if (outcome === 'refused') log.warn({ ...facts, outcome }, 'request not mirrored');
      else log.debug({ ...facts, outcome }, 'request mirrored');
    },
    faulted: (requestId, error) =>
      log.error(
        { requestId, code: error.code, detail: error.facts.detail ?? error.message },
        'internal error',
      ),
    settlementFailed: (requestId, error) =>
      log.error(
        { requestId, code: error.code, detail: error.facts.detail ?? error.message },
        'settlement failed',
      ),
  };
}

function summarize(request: ClosedRequest) {
  const { requestId, endpoint, status, finishReason, durationMs, modelId, providerId } = request;
  return { requestId, endpoint, status, finishReason, durationMs, model: modelId, provider: providerId };
}
