import { embeddings, embeddingsRequestSchema, embeddingsResponseSchema } from '#media';
import { defineMediumEndpoint } from '../../../model-endpoint.ts';

export const embeddingsEndpoint = defineMediumEndpoint(embeddings, {
  path: '/v1/embeddings',
  summary: 'Create embeddings of texts (OpenAI format).',
  body: embeddingsRequestSchema,
  answer: { description: 'The vectors, in the order of the inputs.', schema: embeddingsResponseSchema },
});
