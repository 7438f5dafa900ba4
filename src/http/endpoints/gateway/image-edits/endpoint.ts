import { imageEdits, imageEditsRequestSchema, imagesResponseSchema } from '#media';
import { defineMediumEndpoint } from '../../../model-endpoint.ts';

export const imageEditsEndpoint = defineMediumEndpoint(imageEdits, {
  path: '/v1/images/edits',
  summary: 'Generate images from a text and other images (OpenAI format); JSON, or server-sent events.',
  body: imageEditsRequestSchema,
  bodyTypes: ['multipart/form-data', 'application/json'],
  answer: { description: 'The images.', schema: imagesResponseSchema },
});
