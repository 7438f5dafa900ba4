import type { Medium } from '../contract.ts';
import { estimateTokens } from '#canonical';
import { createOpener } from '../medium.ts';
import { boundSpeech, estimateSpeech, measureSpeech } from './bound.ts';
import { openGoogleExchange } from './google.ts';
import { openEventsExchange, openOpenaiExchange } from './openai.ts';
import { decodeRequest, speechRequestSchema } from './request.ts';

/** Speech from text. */
export const speech: Medium = {
  operation: 'speech',
  path: '/v1/audio/speech',
  body: speechRequestSchema,
  intake: 'json',
  decode: (input) => {
    const request = decodeRequest(input);
    const size = measureSpeech(request);
    return {
      operation: 'speech',
      model: request.model,
      stream: request.stream_format === 'sse',
      inputEstimate: estimateTokens(Buffer.byteLength(request.input)),
      isReplayable: false,
      isSlow: true,
      bound: (mapping) => boundSpeech(size, mapping),
      estimate: (mapping) => estimateSpeech(size, mapping),
      openExchange: createOpener('speech', request, {
        openai: openOpenaiExchange,
        'openai-events': openEventsExchange,
        google: openGoogleExchange,
      }),
    };
  },
};
