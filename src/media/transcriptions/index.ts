import type { Medium } from '../contract.ts';
import { createOpener } from '../medium.ts';
import { measureAudio } from './audio-length.ts';
import { boundTranscription, estimateTranscription } from './bound.ts';
import { openOpenaiExchange } from './openai.ts';
import { decodeRequest, transcriptionsRequestSchema, transcriptionsResponseSchema } from './request.ts';

/** Text from speech. */
export const transcriptions: Medium = {
  operation: 'transcriptions',
  path: '/v1/audio/transcriptions',
  body: transcriptionsRequestSchema,
  answer: transcriptionsResponseSchema,
  intake: 'form',
  decode: (input) => {
    const request = decodeRequest(input);
    const { fields, file } = request;
    const length = measureAudio(file.bytes);
    const promptBytes = Buffer.byteLength(fields.prompt ?? '');
    return {
      operation: 'transcriptions',
      model: fields.model,
      stream: fields.stream ?? false,
      inputEstimate: Math.ceil(length.likelyMs / 100),
      isReplayable: false,
      isSlow: true,
      bound: (mapping) => boundTranscription(length, promptBytes, mapping),
      estimate: (mapping, answerBytes) => estimateTranscription(length, answerBytes, mapping),
      openExchange: createOpener('transcriptions', request, { openai: openOpenaiExchange }),
    };
  },
};
