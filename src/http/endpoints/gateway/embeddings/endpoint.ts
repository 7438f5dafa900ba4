import { MEDIA } from '#media';
import { defineMediumEndpoint } from '../../../gateway/model-endpoint.ts';

export const embeddingsEndpoint = defineMediumEndpoint(MEDIA.embeddings, {
  summary: 'Create embeddings of texts (OpenAI format).',
  answer: 'The vectors, in the order of the inputs.',
});
