import { transcriptions, transcriptionsRequestSchema, transcriptionsResponseSchema } from '#media';
import { defineMediumEndpoint } from '../../../model-endpoint.ts';

export const transcriptionsEndpoint = defineMediumEndpoint(transcriptions, {
  path: '/v1/audio/transcriptions',
  summary: 'Transcribe an audio file (OpenAI format); JSON, text, or server-sent events with `stream=true`.',
  body: transcriptionsRequestSchema,
  bodyTypes: ['multipart/form-data'],
  answer: { description: 'The text.', schema: transcriptionsResponseSchema },
});
