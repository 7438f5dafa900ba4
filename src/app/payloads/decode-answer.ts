import type { CanonicalRequest, ClientFormatId, GenerationResult } from '#canonical';
import { parseJsonObject, SseParser } from '#base';
import { Collector, FORMAT_DIALECTS } from '#canonical';
import { getOutboundFormat, isFailure } from '#wire';

/** An answer as a client received it. */
interface ReceivedAnswer {
  text: string;
  contentType: string;
}

/** Decodes an answer in a client's format, as if its gateway were a provider; undefined if it is not complete. */
export function decodeAnswer(
  format: ClientFormatId,
  { text, contentType }: ReceivedAnswer,
): GenerationResult | undefined {
  const exchange = getOutboundFormat(format).openExchange(createBlank(format), {
    providerId: '',
    externalId: '',
    reasoning: true,
    dialect: { ...FORMAT_DIALECTS[format], customTools: true },
  });
  if (contentType.startsWith('text/event-stream')) return collect(exchange.createStreamDecoder(), text);
  const body = parseJsonObject(text);
  const result = body && exchange.decodeResult(body);
  return result === undefined || isFailure(result) ? undefined : result;
}

type Decoder = ReturnType<
  ReturnType<ReturnType<typeof getOutboundFormat>['openExchange']>['createStreamDecoder']
>;

function collect(decoder: Decoder, text: string): GenerationResult | undefined {
  const parser = new SseParser();
  const collector = new Collector();
  const messages = [...parser.push(Buffer.from(text)), ...parser.close()];
  for (const event of [...messages.flatMap((message) => decoder.push(message)), ...decoder.close()]) {
    if (event.type === 'generation-error') return undefined;
    collector.push(event);
  }
  return collector.isComplete ? collector.result : undefined;
}

/** The decoders of an exchange only need its request where tools or stop sequences were translated. */
function createBlank(format: ClientFormatId): CanonicalRequest {
  return {
    model: '',
    system: [],
    turns: [{ role: 'user', blocks: [{ type: 'text', text: '-' }] }],
    tools: [],
    stopSequences: [],
    sampling: {},
    stream: false,
    streamUsage: true,
    choices: 1,
    betas: [],
    origin: { format, body: {} },
  };
}
