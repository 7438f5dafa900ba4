import type { GenerationEvent } from '#canonical';
import type { Exchange, OutboundFormat, StreamDecoder } from '#wire';
import { withEnvelope } from '../envelope.ts';

const VERSION = 'bedrock-2023-05-31';

/**
 * Claude through InvokeModel: the body of Messages without the model, with its headers inside; failures are AWS's own.
 */
export function encloseForInvoke(
  messages: OutboundFormat,
  decodeFailure: OutboundFormat['decodeFailure'],
): OutboundFormat {
  return withEnvelope({ ...messages, decodeFailure }, (exchange, { request, target }) => {
    const { createStreamDecoder } = exchange;
    const action = request.stream ? 'invoke-with-response-stream' : 'invoke';
    return {
      ...exchange,
      path: `/model/${encodeURIComponent(target.externalId)}/${action}`,
      headers: {},
      body: enclose(exchange),
      createStreamDecoder: () => new ExceptionReader(createStreamDecoder(), decodeFailure),
    };
  });
}

function enclose({ headers, body }: Exchange): Exchange['body'] {
  const betas = headers['anthropic-beta']?.split(',') ?? [];
  const { model: _model, stream: _stream, ...rest } = body;
  return { anthropic_version: VERSION, ...(betas.length > 0 && { anthropic_beta: betas }), ...rest };
}

/** Reads the events of Messages, and the exceptions AWS inserts between them. */
class ExceptionReader implements StreamDecoder {
  readonly #decoder: StreamDecoder;
  readonly #decodeFailure: OutboundFormat['decodeFailure'];
  #isOver = false;

  constructor(decoder: StreamDecoder, decodeFailure: OutboundFormat['decodeFailure']) {
    this.#decoder = decoder;
    this.#decodeFailure = decodeFailure;
  }

  push(message: Parameters<StreamDecoder['push']>[0]): GenerationEvent[] {
    if (this.#isOver) return [];
    const { event, data } = message;
    if (event === undefined || !event.endsWith('Exception')) return this.#decoder.push(message);
    this.#isOver = true;
    const failure = this.#decodeFailure({ status: 0, headers: { 'x-amzn-errortype': event }, body: data });
    return [{ type: 'generation-error', failure }];
  }

  close(): GenerationEvent[] {
    return this.#isOver ? [] : this.#decoder.close();
  }
}
