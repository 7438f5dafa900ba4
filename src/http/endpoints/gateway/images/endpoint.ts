import { images, imagesRequestSchema, imagesResponseSchema } from '#media';
import { createMediumKind, serve } from '#pipeline';
import { defineEndpoint } from '../../../endpoint.ts';
import { describeMediumRefusals } from '../../../refusals.ts';

export const imagesEndpoint = defineEndpoint({
  method: 'POST',
  path: '/v1/images/generations',
  aliases: ['/images/generations', '/v1/v1/images/generations'],
  summary: 'Generate images from a text (OpenAI format); JSON, or server-sent events with `stream: true`.',
  auth: 'path',
  format: 'chat',
  body: imagesRequestSchema,
  responses: {
    200: { description: 'The images.', schema: imagesResponseSchema },
    ...describeMediumRefusals(),
  },
  needs: ['generation'],
  handle: (call, { generation }) =>
    serve(generation, call.arrive('/v1/images/generations', 'chat'), createMediumKind(images)),
});
