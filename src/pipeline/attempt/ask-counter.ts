import type { JsonObject } from '#base';
import type { CanonicalRequest } from '#canonical';
import type { Mapping } from '#catalogue';
import type { Provider } from '#providers';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { parseJsonObject } from '#base';
import { GatewayError } from '#errors';
import { ShortAnswer } from '#providers';
import { type CountExchange, getOutboundFormat } from '#wire';
import { inTurn } from '../request/step-scheduler.ts';
import { printBody } from '../request/print-body.ts';
import { type Candidate, findProvider } from './candidate.ts';
import { toTarget } from './target.ts';

/** A count takes a few bytes; a longer answer is not a count. */
const MOST_BYTES = 16 * 1024;

/** The tokens of the trip's prompt by the provider's own counter; undefined if it has none, or it fails or takes too long. */
export async function askCounter(
  tools: { ports: Ports; trip: Trip },
  candidate: Candidate,
  limitMs: number,
): Promise<number | undefined> {
  const { mapping } = candidate;
  const provider = mapping.dialect.countTokens && findProvider(tools, candidate);
  if (!provider) return undefined;
  const { queue } = tools.trip.facts;
  const exchange = await inTurn(queue, () => openCount(mapping, tools.trip.get('request')));
  if (!exchange) return undefined;
  const body = await printBody(queue, exchange.body);
  const answer = await send(provider, { path: exchange.path, headers: exchange.headers, body }, limitMs);
  return answer && exchange.decode(answer);
}

/** Undefined where the format has no counter, or cannot express the prompt. */
function openCount(mapping: Mapping, request: CanonicalRequest): CountExchange | undefined {
  const format = getOutboundFormat(mapping.format);
  const target = toTarget(mapping);
  try {
    return format.openCount?.(format.openExchange(request, target), target);
  } catch (thrown) {
    if (thrown instanceof GatewayError) return undefined;
    throw thrown;
  }
}

type Message = Parameters<Provider['transport']['send']>[0];

async function send(provider: Provider, message: Message, limitMs: number): Promise<JsonObject | undefined> {
  const answer = Promise.withResolvers<JsonObject | undefined>();
  const leave = (): void => {
    call.abort();
    answer.resolve(undefined);
  };
  const sink = new ShortAnswer(MOST_BYTES, {
    onWhole: ({ status, body }) => answer.resolve(status === 200 ? parseJsonObject(body) : undefined),
    onTooMuch: leave,
    onFailure: () => answer.resolve(undefined),
  });
  const call = provider.transport.send(message, sink);
  const limit = setTimeout(leave, limitMs);
  const body = await answer.promise;
  clearTimeout(limit);
  return body;
}
