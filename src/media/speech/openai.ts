import type { JsonObject } from '#base';
import type { Mapping } from '#catalogue';
import type { EventReading, MediaExchange, Quantity } from '../contract.ts';
import type { SpeechRequest } from './request.ts';
import { isJsonObject, parseJsonObject } from '#base';
import { isBelievable, toCount } from '#canonical';
import { decodeFailure, forwardBody, readingEvents } from '../openai-exchange.ts';
import { createQuantity } from '../quantity.ts';
import { AUDIO_TYPES } from './request.ts';

const AUDIO = /^(?:audio\/|application\/octet-stream|application\/ogg|binary\/)/i;

/** Streams audio, or events if the caller requests those. */
export function openOpenaiExchange(request: SpeechRequest, mapping: Mapping): MediaExchange {
  return {
    ...describe(request, mapping),
    answer:
      request.stream_format === 'sse'
        ? { type: 'events', read: readEvent }
        : { type: 'bytes', mediaTypes: AUDIO },
  };
}

/** Always requests events, because only their last one reports usage; a caller of audio gets audio. */
export function openEventsExchange(request: SpeechRequest, mapping: Mapping): MediaExchange {
  if (request.stream_format === 'sse') return openOpenaiExchange(request, mapping);
  return {
    ...describe({ ...request, stream_format: 'sse' }, mapping),
    answer: {
      type: 'events',
      contentType: AUDIO_TYPES[request.response_format ?? 'mp3'],
      mediaTypes: AUDIO,
      read: (message) => toBytes(readEvent(message)),
    },
  };
}

function describe(request: SpeechRequest, mapping: Mapping): Omit<MediaExchange, 'answer'> {
  return {
    path: '/audio/speech',
    headers: {},
    body: forwardBody(request, mapping),
    decodeFailure,
  };
}

const readEvent = readingEvents((body) => {
  if (body['type'] !== 'speech.audio.done') return {};
  const reported = readUsage(body);
  return { isLast: true, ...(reported && { reported }) };
});

function readUsage({ usage }: JsonObject): Quantity | undefined {
  if (!isJsonObject(usage) || !isBelievable(usage)) return undefined;
  return createQuantity({
    inputUncached: toCount(usage['input_tokens']),
    outputAudio: toCount(usage['output_tokens']),
  });
}

function toBytes({ message, ...reading }: EventReading): EventReading {
  const audio = message && parseJsonObject(message.data)?.['audio'];
  return typeof audio === 'string' ? { ...reading, bytes: Buffer.from(audio, 'base64') } : reading;
}
