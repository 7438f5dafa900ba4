import type { JsonObject } from '#base';
import type { CanonicalRequest } from '#canonical';
import type { Mapping } from '#catalogue';
import type { Provider } from '#providers';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { parseJsonObject } from '#base';
import { GatewayError } from '#errors';
import { type CountExchange, getOutboundFormat } from '#wire';
import { inTurn } from '../request/pace.ts';
import { printBody } from '../request/print-body.ts';
import { type Candidate, findProvider } from './candidate.ts';
import { toTarget } from './target.ts';

/** A count takes a few bytes; a longer answer is not a count. */
const MOST_PARTS = 16;

/** The tokens of the trip's prompt by the provider's own counter; undefined if it has none, or it fails or takes too long. */
export async function askCounter(
  tools: { ports: Ports; trip: Trip },
  candidate: Candidate,
  limitMs: number,
): Promise<number | undefined> {
  const { mapping } = candidate;
  const provider = mapping.dialect.countTokens && findProvider(tools, candidate);
  if (!provider) return undefined;
  const { isHeavy } = tools.trip.facts;
  const exchange = await inTurn(isHeavy, () => openCount(mapping, tools.trip.get('request')));
  if (!exchange) return undefined;
  const body = await printBody(isHeavy, exchange.body);
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
  const parts: Buffer[] = [];
  let status = 0;
  const call = provider.transport.send(message, {
    onHead: (given) => void (status = given),
    onData: (bytes) => {
      if (parts.length < MOST_PARTS) parts.push(bytes);
    },
    onEnd: () =>
      answer.resolve(status === 200 ? parseJsonObject(Buffer.concat(parts).toString('utf8')) : undefined),
    onFailure: () => answer.resolve(undefined),
  });
  const limit = setTimeout(() => {
    call.abort();
    answer.resolve(undefined);
  }, limitMs);
  const body = await answer.promise;
  clearTimeout(limit);
  return body;
}
