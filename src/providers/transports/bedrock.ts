import type { EventStreamCodec } from '@smithy/eventstream-codec';
import type { Transport } from '../transport.ts';
import { type Authorize, AuthorizedTransport } from './authorized.ts';
import { EventStreamSink } from './event-stream.ts';
import { type AwsKeys, createSigner } from './sigv4.ts';

interface BedrockOptions {
  baseUrl: string;
  region: string;
  /** Keys for signing requests; absent if a header key suffices. */
  keys?: AwsKeys;
}

let codec: EventStreamCodec | undefined;

/** Signs requests if necessary and reads AWS's binary streams. The libraries are loaded with the first request. */
export function createBedrockTransport(http: Transport, options: BedrockOptions): Transport {
  const sign = options.keys && createSigner({ ...options, keys: options.keys });
  const authorize: Authorize = async (request) => {
    codec ??= await loadCodec();
    return sign ? sign(request) : {};
  };
  const authorized = new AuthorizedTransport(http, authorize);
  return {
    send: (request, sink) => authorized.send(request, new EventStreamSink(sink, getCodec)),
    drain: () => authorized.drain(),
    close: () => authorized.close(),
  };
}

function getCodec(): EventStreamCodec {
  if (!codec) throw new Error('an answer arrived before its request was sent');
  return codec;
}

async function loadCodec(): Promise<EventStreamCodec> {
  const { EventStreamCodec: Codec } = await import('@smithy/eventstream-codec');
  return new Codec(
    (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
    (text) => Buffer.from(text, 'utf8'),
  );
}
