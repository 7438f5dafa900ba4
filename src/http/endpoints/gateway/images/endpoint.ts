import { MEDIA } from '#media';
import { defineMediumEndpoint } from '../../../gateway/model-endpoint.ts';

export const imagesEndpoint = defineMediumEndpoint(MEDIA.images, {
  summary: 'Generate images from a text (OpenAI format); JSON, or server-sent events with `stream: true`.',
  answer: 'The images.',
});
