import { MEDIA } from '#media';
import { defineMediumEndpoint } from '../../../gateway/model-endpoint.ts';

export const moderationsEndpoint = defineMediumEndpoint(MEDIA.moderations, {
  summary: 'Classify texts and images as harmful or not (OpenAI format).',
  answer: 'A result for each input.',
});
