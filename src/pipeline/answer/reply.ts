import type { AnswerFacts, RequestEcho, ReplyContext } from '#wire';
import type { JsonObject } from '#base';
import type { Delivery } from './delivery.ts';
import type { Trip } from '../request/trip.ts';
import { createRandomText, formatUsd } from '#base';
import { listAttempts } from '../request/attempts-header.ts';
import { createDelivery } from './delivery.ts';

const LIMITED_BY_HEADER = 'x-gateway-limited-by';

/** Opens the delivery of a trip in the caller's format. */
export function openDelivery(trip: Trip, keepTranscript: boolean): Delivery {
  return createDelivery(trip.arrival, new AnswerContext(trip), {
    createHeaders: () => createHeaders(trip),
    keepTranscript,
  });
}

class AnswerContext implements ReplyContext {
  readonly request: ReplyContext['request'];
  readonly answerId: string;
  readonly createdSeconds: number;
  readonly inputEstimate: number;
  readonly echo?: RequestEcho;
  readonly #trip: Trip;
  readonly #model: string;

  constructor(trip: Trip) {
    const { format, startedAt } = trip.arrival;
    const request = trip.get('request');
    const { stream, streamUsage, choices, legacyCalls } = request;
    this.request = legacyCalls
      ? { stream, streamUsage, choices, legacyCalls }
      : { stream, streamUsage, choices };
    this.answerId = format.answerIdPrefix + createRandomText(24);
    this.createdSeconds = Math.floor(startedAt / 1000);
    this.inputEstimate = trip.get('inputEstimate');
    if (format.createEcho) this.echo = format.createEcho(request);
    this.#trip = trip;
    this.#model = request.model;
  }

  get model(): string {
    const { mapping, requestedModelId } = this.#trip.facts;
    return mapping && mapping.modelId !== requestedModelId ? mapping.modelId : this.#model;
  }

  describe(): AnswerFacts {
    return describe(this.#trip);
  }

  remember(answer: JsonObject): void {
    const { memory } = this.#trip.facts;
    if (memory) memory.answer = answer;
  }
}

/** The gateway's additions to a Chat answer; read once, after the last event is metered. */
function describe(trip: Trip): AnswerFacts {
  const { mapping, cost = 0n, shortage } = trip.facts;
  const costUsd = Number(formatUsd(cost));
  if (trip.arrival.headers['x-no-metadata'] === 'true') return { costUsd };
  return {
    costUsd,
    metadata: {
      request_id: trip.arrival.requestId,
      used_provider: mapping?.providerId,
      used_model: mapping?.modelId,
      attempts: trip.attempts.length + 1,
      route: listAttempts(trip),
      ...(shortage && { limited_by: shortage.code }),
    },
  };
}

/** With the limit that ended an answer: known when the headers of a JSON answer are sent, and not yet at those of a stream. */
function createHeaders(trip: Trip): Record<string, string> {
  const headers = describeTiming(trip);
  const { shortage } = trip.facts;
  if (shortage) headers[LIMITED_BY_HEADER] = shortage.code;
  return headers;
}

/** Milliseconds the gateway itself took before the first dispatch. */
export function describeTiming({ facts, arrival }: Trip): Record<string, string> {
  const { dispatchedMs = arrival.startedMs } = facts;
  return { 'server-timing': `gateway;dur=${(dispatchedMs - arrival.startedMs).toFixed(1)}` };
}
