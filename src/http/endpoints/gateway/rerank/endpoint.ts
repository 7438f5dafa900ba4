import { MEDIA } from '#media';
import { defineMediumEndpoint } from '../../../gateway/model-endpoint.ts';

export const rerankEndpoint = defineMediumEndpoint(MEDIA.rerank, {
  summary: 'Rank documents by relevance to a query.',
  answer: 'The most relevant first.',
});
