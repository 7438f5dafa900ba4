import { type JsonObject, type SseMessage, formatSse } from '#base';
import {
  type ClientFormatId,
  type FormatId,
  type GenerationEvent,
  type GenerationResult,
  collect,
  toEvents,
} from '#canonical';
import { GatewayError, toCallerError } from '#errors';
import {
  type Exchange,
  type InboundFormat,
  type ReplyContext,
  getInboundFormat,
  getOutboundFormat,
  isFailure,
} from '#wire';
import { decodeStream, encodeStream, openPassage } from '../../support/exchanges.ts';
import { createGenerousTarget } from '../targets.ts';
import { CLIENTS } from '../translation/clients.ts';
import { REFUSALS, createProviderAnswer } from './answers.ts';
import type { Capability } from './capabilities.ts';

/** Where a capability may be lost: on the way to the provider, in a JSON answer, in a stream. */
export type Part = 'asked' | 'json' | 'sse';

/** What went wrong in which part; empty where the capability survives. */
export type Losses = Partial<Record<Part, string>>;

/** One client's request on its way to one provider. */
interface Way {
  inbound: InboundFormat;
  exchange: Exchange;
  context: ReplyContext;
}

function open(client: ClientFormatId, provider: FormatId, body: JsonObject): Way {
  const inbound = getInboundFormat(client);
  const request = inbound.decodeRequest(body, {});
  const echo = inbound.createEcho?.(request);
  const context: ReplyContext = {
    request: { ...request, streamUsage: true },
    answerId: 'answer_1',
    model: request.model,
    createdSeconds: 1_700_000_000,
    inputEstimate: 42,
    ...(echo && { echo }),
  };
  return {
    inbound,
    context,
    exchange: getOutboundFormat(provider).openExchange(request, createGenerousTarget(provider)),
  };
}

/** Takes a capability from a client to a provider and back, JSON and streamed. */
export function tryCapability(client: ClientFormatId, provider: FormatId, capability: Capability): Losses {
  const { base, samples } = CLIENTS[client];
  const { asked, said, complain } = capability;
  const sample = capability.samples?.[client];
  const [withField = {}, without = {}] = (sample === undefined ? undefined : samples[sample]) ?? [];
  const bare: JsonObject = capability.name === 'structured output' ? { ...base, tools: [] } : base;
  let way: Way;
  try {
    way = open(client, provider, { ...bare, ...without, ...withField });
  } catch (thrown) {
    if (thrown instanceof GatewayError) return { asked: thrown.message, json: 'refused', sse: 'refused' };
    throw thrown;
  }
  const isAsked = asked === undefined || asked.test(JSON.stringify(way.exchange.body));
  const answer = createProviderAnswer(provider, said);
  const json = complain(readJson(client, way, answer.body));
  const sse = complain(readSse(client, way, answer.messages));
  return {
    ...(!isAsked && { asked: 'it does not reach the provider' }),
    ...(json !== undefined && { json }),
    ...(sse !== undefined && { sse }),
  };
}

/** How a client of the format understands what it is sent: as a provider of the same format would be. */
function createReader(client: ClientFormatId): Exchange {
  return openPassage(client, createGenerousTarget(client), client).exchange;
}

function readJson(
  client: ClientFormatId,
  { inbound, exchange, context }: Way,
  body: JsonObject,
): GenerationResult {
  const result = exchange.decodeResult(body);
  if (isFailure(result)) throw new Error(`the answer is read as a failure: ${result.message}`);
  const read = createReader(client).decodeResult(inbound.encodeResult(result, context));
  if (isFailure(read)) throw new Error(`the client reads a failure: ${read.message}`);
  return read;
}

function readSse(client: ClientFormatId, way: Way, messages: SseMessage[]): GenerationResult {
  return collect(readFrames(client, encodeFrames(way, decodeStream(way.exchange, messages))));
}

function encodeFrames({ inbound, context }: Way, events: readonly GenerationEvent[]): SseMessage[] {
  return encodeStream(inbound, context, events);
}

function readFrames(client: ClientFormatId, frames: SseMessage[]): GenerationEvent[] {
  return decodeStream(createReader(client), frames);
}

/** Whether a stream reaches the client as it comes, asked for as a stream, and ends where it ends. */
export function tryStreaming(client: ClientFormatId, provider: FormatId): Losses {
  const { base } = CLIENTS[client];
  const whole = open(client, provider, base);
  const way = openStreaming(client, provider);
  const isAsked = way.exchange.path !== whole.exchange.path || way.exchange.body['stream'] === true;
  const { body, messages } = createProviderAnswer(provider, { text: 'Sunny in Rom.' });
  const json = readJson(client, way, body);
  const events = decodeStream(way.exchange, messages);
  const seen = events.map((event) => encodeFrames(way, events.slice(0, events.indexOf(event) + 1)).length);
  const sse = collect(readFrames(client, encodeFrames(way, events)));
  const growing = new Set(seen).size;
  const isSame = JSON.stringify(json.blocks) === JSON.stringify(sse.blocks);
  return {
    ...(!isAsked && { asked: 'the provider is not asked to stream' }),
    ...(growing < 4 && { sse: 'the stream comes at once' }),
    ...(!isSame && { sse: 'the stream says something else than the JSON answer' }),
  };
}

function openStreaming(client: ClientFormatId, provider: FormatId): Way {
  const request = {
    ...getInboundFormat(client).decodeRequest({ ...CLIENTS[client].base, stream: true }, {}),
    stream: true,
  };
  const way = open(client, provider, { ...CLIENTS[client].base, stream: true });
  return {
    ...way,
    context: { ...way.context, request },
    exchange: getOutboundFormat(provider).openExchange(request, createGenerousTarget(provider)),
  };
}

const COMPLAINT = 'too many requests of this kind';

/** Whether a provider's own words about a failure reach the client, before an answer and in the middle of one. */
export function tryErrors(client: ClientFormatId, provider: FormatId): Losses {
  const way = openStreaming(client, provider);
  const failure = getOutboundFormat(provider).decodeFailure({
    status: 429,
    headers: { 'retry-after': '7' },
    body: JSON.stringify(REFUSALS[provider](COMPLAINT)),
  });
  const error = toCallerError(failure);
  const reported = JSON.stringify(way.inbound.encodeError(error, 'req_1'));
  const begun = toEvents({
    id: 'a',
    model: 'm',
    blocks: [{ type: 'text', text: 'Sunny' }],
    finish: { reason: 'stop' },
  });
  const events: GenerationEvent[] = [...begun.slice(0, -1), { type: 'generation-error', failure }];
  const frames = encodeFrames(way, events);
  const last = readFrames(client, frames).at(-1);
  const isReported = frames.map(formatSse).join('').includes(COMPLAINT) && last?.type === 'generation-error';
  return {
    ...((error.status !== 429 || failure.kind !== 'rate-limited') && { asked: `read as ${failure.kind}` }),
    ...(!reported.includes(COMPLAINT) && { json: reported }),
    ...(!isReported && { sse: 'the stream does not end in the error' }),
  };
}
