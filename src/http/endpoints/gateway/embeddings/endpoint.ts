import { embeddings, embeddingsRequestSchema, embeddingsResponseSchema } from '#media';
import { createMediumKind, serve } from '#pipeline';
import { defineEndpoint } from '../../../endpoint.ts';
import { describeMediumRefusals } from '../../../refusals.ts';

export const embeddingsEndpoint = defineEndpoint({
  method: 'POST',
  path: '/v1/embeddings',
  aliases: ['/embeddings', '/v1/v1/embeddings'],
  summary: 'Create embeddings of texts (OpenAI format).',
  auth: 'path',
  format: 'chat',
  body: embeddingsRequestSchema,
  responses: {
    200: { description: 'The vectors, in the order of the inputs.', schema: embeddingsResponseSchema },
    ...describeMediumRefusals(),
  },
  needs: ['generation'],
  handle: (call, { generation }) =>
    serve(generation, call.arrive('/v1/embeddings', 'chat'), createMediumKind(embeddings)),
});
