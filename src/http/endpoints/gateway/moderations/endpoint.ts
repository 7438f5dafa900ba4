import { moderations, moderationsRequestSchema, moderationsResponseSchema } from '#media';
import { defineMediumEndpoint } from '../../../model-endpoint.ts';

export const moderationsEndpoint = defineMediumEndpoint(moderations, {
  path: '/v1/moderations',
  summary: 'Classify texts and images as harmful or not (OpenAI format).',
  body: moderationsRequestSchema,
  answer: { description: 'A result for each input.', schema: moderationsResponseSchema },
});
