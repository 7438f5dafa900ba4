import { moderations, moderationsRequestSchema, moderationsResponseSchema } from '#media';
import { createMediumKind, serve } from '#pipeline';
import { defineEndpoint } from '../../../endpoint.ts';
import { describeMediumRefusals } from '../../../refusals.ts';

export const moderationsEndpoint = defineEndpoint({
  method: 'POST',
  path: '/v1/moderations',
  aliases: ['/moderations', '/v1/v1/moderations'],
  summary: 'Judge whether texts and images are harmful (OpenAI format).',
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
