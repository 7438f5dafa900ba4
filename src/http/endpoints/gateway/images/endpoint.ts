import { images, imagesRequestSchema, imagesResponseSchema } from '#media';
import { defineMediumEndpoint } from '../../../model-endpoint.ts';

export const imagesEndpoint = defineMediumEndpoint(images, {
  path: '/v1/images/generations',
  summary: 'Generate images from a text (OpenAI format); JSON, or server-sent events with `stream: true`.',
  body: imagesRequestSchema,
  answer: { description: 'The images.', schema: imagesResponseSchema },
});
