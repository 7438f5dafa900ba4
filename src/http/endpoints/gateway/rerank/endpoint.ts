import { rerank, rerankRequestSchema, rerankResponseSchema } from '#media';
import { createMediumKind, serve } from '#pipeline';
import { defineEndpoint } from '../../../endpoint.ts';
import { describeMediumRefusals } from '../../../refusals.ts';

export const rerankEndpoint = defineEndpoint({
  method: 'POST',
  path: '/v1/rerank',
  aliases: ['/rerank', '/v1/v1/rerank'],
  summary: 'Rank documents by relevance to a query.',
  auth: 'path',
  format: 'chat',
  body: rerankRequestSchema,
  responses: {
    200: { description: 'The most relevant first.', schema: rerankResponseSchema },
    ...describeMediumRefusals(),
  },
  needs: ['generation'],
  handle: (call, { generation }) =>
    serve(generation, call.arrive('/v1/rerank', 'chat'), createMediumKind(rerank)),
});
