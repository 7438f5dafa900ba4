import { MEDIA } from '#media';
import { defineMediumEndpoint } from '../../../gateway/model-endpoint.ts';

export const transcriptionsEndpoint = defineMediumEndpoint(MEDIA.transcriptions, {
  summary: 'Transcribe an audio file (OpenAI format); JSON, text, or server-sent events with `stream=true`.',
  bodyTypes: ['multipart/form-data'],
  answer: 'The text.',
});
