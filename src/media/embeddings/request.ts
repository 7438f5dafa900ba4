import { Type } from 'typebox';
import { type ValidatedBody, createValidator, serviceTier } from '../request-body.ts';

const MOST_INPUTS = 2_048;
const tokens = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 });

/** `POST /v1/embeddings`. */
export const embeddingsRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    input: Type.Union([
      Type.String({ minLength: 1 }),
      Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: MOST_INPUTS }),
      tokens,
      Type.Array(tokens, { minItems: 1, maxItems: MOST_INPUTS }),
    ]),
    dimensions: Type.Optional(Type.Integer({ minimum: 1 })),
    encoding_format: Type.Optional(Type.Enum(['float', 'base64'])),
    user: Type.Optional(Type.String()),
    input_type: Type.Optional(
      Type.String({ description: 'The purpose of the texts, for models that use it.' }),
    ),
    truncate: Type.Optional(Type.String({ description: 'Where texts that are too long are cut (NVIDIA).' })),
    output_dimension: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Like `dimensions` (Mistral).' }),
    ),
    output_dtype: Type.Optional(Type.String({ description: 'The type of the numbers (Mistral).' })),
    service_tier: serviceTier,
  },
  { title: 'EmbeddingsRequest', additionalProperties: true },
);

export type EmbeddingsRequest = ValidatedBody<typeof embeddingsRequestSchema>;

export const decodeRequest = createValidator(embeddingsRequestSchema);

/** One text, or the tokens of one. */
export type EmbeddingInput = string | number[];

export function listInputs({ input }: EmbeddingsRequest): EmbeddingInput[] {
  if (typeof input === 'string') return [input];
  if (input.every((item) => typeof item === 'number')) return [input];
  return input;
}

const count = Type.Integer({ minimum: 0 });

/** The answer. */
export const embeddingsResponseSchema = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(
      Type.Object({
        object: Type.Literal('embedding'),
        index: count,
        embedding: Type.Union([Type.Array(Type.Number()), Type.String()]),
      }),
    ),
    model: Type.String(),
    usage: Type.Optional(Type.Object({ prompt_tokens: count, total_tokens: count })),
  },
  { title: 'EmbeddingsResponse' },
);
