import { speech, speechRequestSchema } from '#media';
import { defineMediumEndpoint } from '../../../model-endpoint.ts';

export const speechEndpoint = defineMediumEndpoint(speech, {
  path: '/v1/audio/speech',
  summary:
    'Generate speech from a text (OpenAI format); streamed audio, or server-sent events with `stream_format: sse`.',
  body: speechRequestSchema,
  answer: { description: 'The audio.' },
});
