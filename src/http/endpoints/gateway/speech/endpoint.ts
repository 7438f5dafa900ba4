import { MEDIA } from '#media';
import { defineMediumEndpoint } from '../../../gateway/model-endpoint.ts';

export const speechEndpoint = defineMediumEndpoint(MEDIA.speech, {
  summary:
    'Generate speech from a text (OpenAI format); streamed audio, or server-sent events with `stream_format: sse`.',
  answer: 'The audio.',
});
