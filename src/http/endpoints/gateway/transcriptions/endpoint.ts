import { transcriptions, transcriptionsRequestSchema, transcriptionsResponseSchema } from '#media';
import { createMediumKind, serve } from '#pipeline';
import { defineEndpoint } from '../../../endpoint.ts';
import { describeMediumRefusals } from '../../../refusals.ts';

export const transcriptionsEndpoint = defineEndpoint({
  method: 'POST',
  path: '/v1/audio/transcriptions',
  aliases: ['/audio/transcriptions', '/v1/v1/audio/transcriptions'],
  summary: 'Transcribe an audio file (OpenAI format); JSON, text, or server-sent events with `stream=true`.',
  auth: 'path',
  format: 'chat',
  body: transcriptionsRequestSchema,
  bodyTypes: ['multipart/form-data'],
  responses: {
    200: { description: 'The text.', schema: transcriptionsResponseSchema },
    ...describeMediumRefusals(),
  },
  needs: ['generation'],
  handle: (call, { generation }) =>
    serve(generation, call.arrive('/v1/audio/transcriptions', 'chat'), createMediumKind(transcriptions)),
});
