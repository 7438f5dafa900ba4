import { speech, speechRequestSchema } from '#media';
import { createMediumKind, serve } from '#pipeline';
import { defineEndpoint } from '../../../endpoint.ts';
import { describeMediumRefusals } from '../../../refusals.ts';

export const speechEndpoint = defineEndpoint({
  method: 'POST',
  path: '/v1/audio/speech',
  aliases: ['/audio/speech', '/v1/v1/audio/speech'],
  summary:
    'Generate speech from a text (OpenAI format); streamed audio, or server-sent events with `stream_format: sse`.',
  auth: 'path',
  format: 'chat',
  body: speechRequestSchema,
  responses: {
    200: { description: 'The audio.' },
    ...describeMediumRefusals(),
  },
  needs: ['generation'],
  handle: (call, { generation }) =>
    serve(generation, call.arrive('/v1/audio/speech', 'chat'), createMediumKind(speech)),
});
