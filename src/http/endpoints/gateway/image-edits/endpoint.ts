import { imageEdits, imageEditsRequestSchema, imagesResponseSchema } from '#media';
import { createMediumKind, serve } from '#pipeline';
import { defineEndpoint } from '../../../endpoint.ts';
import { describeMediumRefusals } from '../../../refusals.ts';

export const imageEditsEndpoint = defineEndpoint({
  method: 'POST',
  path: '/v1/images/edits',
  aliases: ['/images/edits', '/v1/v1/images/edits'],
  summary: 'Generate images from a text and other images (OpenAI format); JSON, or server-sent events.',
  auth: 'path',
  format: 'chat',
  body: imageEditsRequestSchema,
  bodyTypes: ['multipart/form-data', 'application/json'],
  responses: {
    200: { description: 'The images.', schema: imagesResponseSchema },
    ...describeMediumRefusals(),
  },
  needs: ['generation'],
  handle: (call, { generation }) =>
    serve(generation, call.arrive('/v1/images/edits', 'chat'), createMediumKind(imageEdits)),
});
