import { refuse } from '#wire';
import type { FormFile, MediaInput } from '../contract.ts';
import { Type } from 'typebox';
import { type ValidatedBody, createValidator, serviceTier } from '../request-body.ts';

const fields = {
  model: Type.String({ minLength: 1 }),
  language: Type.Optional(Type.String()),
  prompt: Type.Optional(Type.String()),
  response_format: Type.Optional(Type.Enum(['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'])),
  stream: Type.Optional(Type.Boolean()),
  temperature: Type.Optional(Type.Number()),
  chunking_strategy: Type.Optional(Type.Unknown()),
  include: Type.Optional(Type.Unknown()),
  keywords: Type.Optional(Type.Unknown()),
  known_speaker_names: Type.Optional(Type.Unknown()),
  known_speaker_references: Type.Optional(Type.Unknown()),
  languages: Type.Optional(Type.Unknown()),
  timestamp_granularities: Type.Optional(Type.Unknown()),
  service_tier: serviceTier,
};

/** `POST /v1/audio/transcriptions`: the form's fields besides its file. */
export const transcriptionsRequestSchema = Type.Object(
  { ...fields, file: Type.Optional(Type.String({ format: 'binary' })) },
  { title: 'TranscriptionsRequest', additionalProperties: true },
);

/** The answer as JSON. */
export const transcriptionsResponseSchema = Type.Object(
  { text: Type.String() },
  { title: 'TranscriptionsResponse', additionalProperties: true },
);

const validate = createValidator(Type.Object(fields, { additionalProperties: true }));

/** The audio to transcribe. */
export interface TranscriptionRequest {
  fields: ValidatedBody<typeof transcriptionsRequestSchema>;
  file: FormFile;
}

export function decodeRequest(input: MediaInput): TranscriptionRequest {
  const valid = validate(input);
  const [file, second] = input.files.get('file') ?? [];
  if (!file) return refuse('file', 'is required, as a file of the form');
  if (second) return refuse('file', 'must be one file');
  if (file.bytes.length === 0) return refuse('file', 'is empty');
  return { fields: valid, file };
}
