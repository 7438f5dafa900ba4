import type { ClientFormatId } from '#canonical';
import type { AnswerFacts, ReplyContext } from '#wire';
import type { Delivery } from './delivery.ts';
import type { Trip } from '../request/trip.ts';
import { createRandomText, formatUsd } from '#base';
import { listAttempts } from '../request/attempts-header.ts';
import { createDelivery } from './delivery.ts';

const LIMITED_BY_HEADER = 'x-gateway-limited-by';

/** The prefix of answer ids in each format. */
const ANSWER_PREFIX: Record<ClientFormatId, string> = {
  chat: 'chatcmpl-',
  gemini: '',
  messages: 'msg_',
  responses: 'resp_',
};

/** Opens the delivery of a trip in the caller's format. */
export function openDelivery(trip: Trip, keepTranscript: boolean): Delivery {
  const { arrival } = trip;
  const request = trip.get('request');
  const { stream, streamUsage, choices, legacyCalls } = request;
  const { memory } = trip.facts;
  const context: ReplyContext = {
    request: { stream, streamUsage, choices, ...(legacyCalls && { legacyCalls }) },
    answerId: `${ANSWER_PREFIX[arrival.format.id]}${createRandomText(24)}`,
    get model() {
      const { mapping, requestedModelId } = trip.facts;
      return mapping && mapping.modelId !== requestedModelId ? mapping.modelId : request.model;
    },
    createdSeconds: Math.floor(arrival.startedAt / 1000),
    inputEstimate: trip.get('inputEstimate'),
    describe: () => describe(trip),
    ...(arrival.format.createEcho && { echo: arrival.format.createEcho(request) }),
    ...(memory && { remember: (answer) => void (memory.answer = answer) }),
  };
  const createHeaders = (): Record<string, string> => ({
    ...describeTiming(trip),
    ...describeShortage(trip),
  });
  return createDelivery(arrival, context, { createHeaders, keepTranscript });
}

/** What the gateway adds to a Chat answer; read once, after the last event is metered. */
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

/** The limit that ended an answer; known when the headers of a JSON answer are sent, and not yet at those of a stream. */
function describeShortage({ facts: { shortage } }: Trip): Record<string, string> {
  return shortage ? { [LIMITED_BY_HEADER]: shortage.code } : {};
}

/** Milliseconds the gateway itself took before the first dispatch. */
export function describeTiming({ facts, arrival }: Trip): Record<string, string> {
  const { dispatchedMs = arrival.startedMs } = facts;
  return { 'server-timing': `gateway;dur=${(dispatchedMs - arrival.startedMs).toFixed(1)}` };
}
