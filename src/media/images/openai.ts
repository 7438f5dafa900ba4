import type { JsonObject, SseMessage } from '#base';
import type { Mapping } from '#catalogue';
import type { EventReading, MediaExchange, MediaResult, Quantity, WholeAnswer } from '../contract.ts';
import type { UpstreamFailure } from '#errors';
import type { ImageRequest } from './request.ts';
import {
  createGarbled,
  decodeFailure,
  decodingJson,
  forwardBody,
  readingEvents,
  toJsonResult,
} from '../openai-exchange.ts';
import { writeForm } from '../write-form.ts';
import { addQuantities, readImageUsage } from './usage.ts';

export function openOpenaiExchange(request: ImageRequest, mapping: Mapping): MediaExchange {
  const whole = decodingJson((body) => decodeImages(body, request, mapping));
  return {
    path: `/images/${request.endpoint}`,
    ...encodeBody(request, mapping),
    decodeFailure,
    answer: request.fields.stream
      ? { type: 'events', read: createEventReader(request, mapping), decode: decodeOf(whole) }
      : whole,
  };
}

function decodeOf(answer: MediaExchange['answer']): (answer: WholeAnswer) => MediaResult | UpstreamFailure {
  return answer.type === 'whole' ? answer.decode : createGarbled;
}

function encodeBody(request: ImageRequest, mapping: Mapping): Pick<MediaExchange, 'headers' | 'body'> {
  const values = forwardBody(request.fields, mapping);
  if (!request.isForm) return { headers: {}, body: values };
  const { contentType, body } = writeForm(values, request.files);
  return { headers: { 'content-type': contentType }, body };
}

function decodeImages(
  body: JsonObject,
  request: ImageRequest,
  mapping: Mapping,
): MediaResult | UpstreamFailure {
  const { data, usage } = body;
  if (!Array.isArray(data) || data.length === 0)
    return createGarbled({ bytes: Buffer.from(JSON.stringify(body)) });
  return toJsonResult(body, readImageUsage(request, mapping, { usage, images: data.length }));
}

/** The last event of each image ends with `.completed` and has its own usage. */
function createEventReader(request: ImageRequest, mapping: Mapping): (message: SseMessage) => EventReading {
  const { n = 1 } = request.fields;
  let completed = 0;
  let reported: Quantity | undefined;
  return readingEvents(({ type, usage }) => {
    if (typeof type !== 'string' || !type.endsWith('.completed')) return {};
    completed += 1;
    reported = addQuantities(reported, readImageUsage(request, mapping, { usage, images: 1 }));
    return { isLast: completed === n, ...(reported && { reported }) };
  });
}
