import { rerank, rerankRequestSchema, rerankResponseSchema } from '#media';
import { defineMediumEndpoint } from '../../../model-endpoint.ts';

export const rerankEndpoint = defineMediumEndpoint(rerank, {
  path: '/v1/rerank',
  summary: 'Rank documents by relevance to a query.',
  body: rerankRequestSchema,
  answer: { description: 'The most relevant first.', schema: rerankResponseSchema },
});
