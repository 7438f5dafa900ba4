import { moderations, moderationsRequestSchema, moderationsResponseSchema } from '#media';
import { createMediumKind, serve } from '#pipeline';
import { defineEndpoint } from '../../../endpoint.ts';
import { describeMediumRefusals } from '../../../refusals.ts';

export const moderationsEndpoint = defineEndpoint({
  method: 'POST',
  path: '/v1/moderations',
  aliases: ['/moderations', '/v1/v1/moderations'],
  summary: 'Classify texts and images as harmful or not (OpenAI format).',
  auth: 'path',
  format: 'chat',
  body: moderationsRequestSchema,
  responses: {
    200: { description: 'A result for each input.', schema: moderationsResponseSchema },
    ...describeMediumRefusals(),
  },
  needs: ['generation'],
  handle: (call, { generation }) =>
    serve(generation, call.arrive('/v1/moderations', 'chat'), createMediumKind(moderations)),
});
