import { Type, type Static } from 'typebox';

const amounts = Type.Record(Type.String(), Type.String());

const pricing = {
  prompt: Type.String(),
  completion: Type.String(),
  image: Type.String(),
  input_audio: Type.String(),
  input_audio_cache_read: Type.String(),
  output_audio: Type.String(),
  per_second: amounts,
  per_image: amounts,
  request: Type.String(),
  input_cache_read: Type.String(),
  input_cache_write: Type.String(),
  input_cache_write_1h: Type.String(),
  ocr_page: Type.String(),
  input_audio_hour: Type.String(),
  input_character: Type.String(),
};

const mappingEntrySchema = Type.Object({
  providerId: Type.String(),
  externalId: Type.String(),
  supportedVideoSizes: Type.Array(Type.String()),
  supportsVideoAudio: Type.Boolean(),
  supportsVideoWithoutAudio: Type.Boolean(),
  pricing: Type.Object(pricing, { description: 'USD per token, image or request, as plain decimals.' }),
  streaming: Type.Boolean(),
  vision: Type.Boolean(),
  realtime: Type.Boolean(),
  cancellation: Type.Boolean(),
  tools: Type.Boolean(),
  parallelToolCalls: Type.Boolean(),
  reasoning: Type.Boolean(),
  reasoning_efforts: Type.Array(Type.String()),
  min_cacheable_tokens: Type.Integer(),
  max_output: Type.Integer(),
  quantization: Type.Optional(Type.String({ description: 'Absent if unknown.' })),
  stability: Type.String(),
});

const limit = Type.Union([Type.Integer(), Type.Null()], {
  description: 'For Anthropic’s clients: null if unknown.',
});

/** An element of `data` in `GET /v1/models`. */
export const modelEntrySchema = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal('model'),
    object: Type.Literal('model'),
    owned_by: Type.String({ description: 'The family; OpenAI’s clients require a value.' }),
    name: Type.String(),
    display_name: Type.String(),
    aliases: Type.Array(Type.String()),
    created: Type.Integer({ description: 'Seconds since the Unix epoch; 0 if unknown.' }),
    created_at: Type.String(),
    description: Type.String(),
    family: Type.String(),
    architecture: Type.Object({
      input_modalities: Type.Array(Type.String()),
      output_modalities: Type.Array(Type.String()),
      tokenizer: Type.String(),
    }),
    top_provider: Type.Object({ is_moderated: Type.Boolean() }),
    providers: Type.Array(mappingEntrySchema),
    pricing: Type.Object({ ...pricing, web_search: Type.String(), internal_reasoning: Type.String() }),
    context_length: Type.Integer(),
    max_output: Type.Integer(),
    max_input_tokens: limit,
    max_tokens: limit,
    per_request_limits: amounts,
    supported_parameters: Type.Array(Type.String()),
    json_output: Type.Boolean(),
    structured_outputs: Type.Boolean(),
    free: Type.Boolean(),
    deprecated_at: Type.Optional(Type.String()),
    deactivated_at: Type.Optional(Type.String()),
    lifecycle: Type.Enum(['active', 'deprecated', 'retired'], { description: 'In Anthropic’s terms.' }),
    retires_at: Type.Union([Type.String(), Type.Null()], { description: 'The same as `deactivated_at`.' }),
    stability: Type.String(),
  },
  { title: 'Model' },
);

export type ModelEntry = Static<typeof modelEntrySchema>;
export type MappingEntry = Static<typeof mappingEntrySchema>;
