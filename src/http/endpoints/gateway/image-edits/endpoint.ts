import { imageEdits } from '#media';
import { defineMediumEndpoint } from '../../../gateway/model-endpoint.ts';

export const imageEditsEndpoint = defineMediumEndpoint(imageEdits, {
  summary: 'Generate images from a text and other images (OpenAI format); JSON, or server-sent events.',
  bodyTypes: ['multipart/form-data', 'application/json'],
  answer: 'The images.',
});
