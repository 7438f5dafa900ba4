import { Type } from 'typebox';
import { type ValidatedBody, createValidator, serviceTier } from '../request-body.ts';

/** The content type of each audio format. */
export const AUDIO_TYPES = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
} as const;

/** `POST /v1/audio/speech`. */
export const speechRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    input: Type.String({ minLength: 1 }),
    voice: Type.Union([Type.String({ minLength: 1 }), Type.Object({ id: Type.String({ minLength: 1 }) })]),
    instructions: Type.Optional(Type.String()),
    response_format: Type.Optional(Type.Enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'])),
    speed: Type.Optional(Type.Number({ minimum: 0.25, maximum: 4 })),
    stream_format: Type.Optional(Type.Enum(['audio', 'sse'])),
    sample_rate: Type.Optional(Type.Integer({ minimum: 1, description: 'In hertz (Groq).' })),
    service_tier: serviceTier,
  },
  { title: 'SpeechRequest', additionalProperties: true },
);

export type SpeechRequest = ValidatedBody<typeof speechRequestSchema>;

export const decodeRequest = createValidator(speechRequestSchema);
