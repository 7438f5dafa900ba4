import type { Arrival } from '#pipeline';
import { Type } from 'typebox';
import { createParamError } from '#errors';
import { serveOrder, receiveMedium } from '#pipeline';
import { type VideoOrder, chooseOffers, decodeForm, decodeOrder, videoSchema } from '#videos';
import { defineEndpoint } from '../../../endpoint.ts';

const orderSchema = Type.Object(
  {
    model: Type.String(),
    prompt: Type.String(),
    seconds: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
    size: Type.Optional(Type.String({ description: 'Width and height in pixels, such as 1280x720.' })),
    generate_audio: Type.Optional(Type.Boolean()),
    input_reference: Type.Optional(
      Type.Object(
        { image_url: Type.String({ description: 'https:// or a data URL; a file in multipart/form-data.' }) },
        { description: 'The image the video begins with.' },
      ),
    ),
  },
  { title: 'VideoRequest' },
);

const MOST_KEY = 255;

export const createVideoEndpoint = defineEndpoint({
  method: 'POST',
  path: '/v1/videos',
  aliases: ['/videos', '/v1/v1/videos'],
  summary:
    'Create a video (OpenAI format), from JSON or multipart/form-data; an `Idempotency-Key` makes retries safe.',
  auth: 'path',
  format: 'chat',
  body: orderSchema,
  bodyTypes: ['application/json', 'multipart/form-data'],
  responses: { 200: { description: 'The video job.', schema: videoSchema } },
  refusals: [400, 401, 402, 403, 404, 408, 413, 415, 422, 429, 500, 502, 503, 504],
  needs: ['generation', 'videos'],
  handle: (call, { generation, videos }) =>
    serveOrder<VideoOrder>(generation, call.arrive('/v1/videos', 'chat'), {
      operation: 'videos',
      decode: readOrder,
      perform: async ({ order, mappings, ...admitted }) => {
        const idempotencyKey = readKey(call.headers['idempotency-key']);
        const offers = chooseOffers(mappings, order);
        const { job, isReplay } = await videos.place({
          ...admitted,
          order,
          offers,
          ...(idempotencyKey !== undefined && { idempotencyKey }),
        });
        return { body: videos.describe(job), isReplay };
      },
    }),
});

async function readOrder(arrival: Arrival): Promise<VideoOrder> {
  const { input } = await receiveMedium(arrival, 'either');
  return input.isForm ? decodeForm(input) : decodeOrder(input.body);
}

function readKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined || header === '') return undefined;
  if (typeof header === 'string' && header.length <= MOST_KEY) return header;
  throw createParamError('idempotency-key', `must be one text of at most ${MOST_KEY} characters`);
}
