import type { Mapping } from '#catalogue';
import { refuseUnsupported } from '#wire';
import type { MediaExchange } from '../contract.ts';
import type { SpeechRequest } from './request.ts';
import {
  createEmptyFailure,
  decodeGeminiFailure,
  listInlineData,
  readGoogleUsage,
} from '../google-exchange.ts';
import { decodingJson } from '../openai-exchange.ts';
import { AUDIO_TYPES } from './request.ts';
import { toWav } from './wav.ts';

const USUAL_RATE = 24_000;

/** Gemini models that generate speech: `generateContent`, whose samples are wrapped in a WAV file or sent unchanged. */
export function openGoogleExchange(request: SpeechRequest, { externalId }: Mapping): MediaExchange {
  const { input, instructions, voice, response_format: format = 'wav' } = request;
  if (request.stream_format === 'sse') refuseUnsupported('stream_format', 'this model cannot stream speech');
  if (format !== 'wav' && format !== 'pcm')
    refuseUnsupported('response_format', 'this model only returns wav or pcm');
  const voiceName = typeof voice === 'string' ? voice : voice.id;
  return {
    path: `/models/${encodeURIComponent(externalId)}:generateContent`,
    headers: {},
    body: {
      contents: [{ role: 'user', parts: [{ text: instructions ? `${instructions}: ${input}` : input }] }],
      generationConfig: {
        responseModalities: ['AUDIO'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName } } },
      },
    },
    decodeFailure: decodeGeminiFailure,
    answer: decodingJson((answer) => {
      const parts = listInlineData(answer);
      if (parts.length === 0) return createEmptyFailure(answer);
      const samples = Buffer.concat(parts.map(({ data }) => Buffer.from(data, 'base64')));
      const rate = Number(/rate=(\d+)/.exec(parts[0]?.mimeType ?? '')?.[1] ?? USUAL_RATE);
      const reported = readGoogleUsage(answer);
      const body = format === 'wav' ? toWav(samples, rate) : samples;
      return { contentType: AUDIO_TYPES[format as 'wav'], body, ...(reported && { reported }) };
    }),
  };
}
