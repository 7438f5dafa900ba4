import { Type } from 'typebox';

const count = Type.Integer({ minimum: 0 });

const usage = Type.Object(
  {
    input_tokens: Type.Integer({
      minimum: 0,
      description: 'Tokens that were neither read from nor written to a cache.',
    }),
    output_tokens: count,
    cache_creation_input_tokens: count,
    cache_read_input_tokens: count,
    cache_creation: Type.Object({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count }),
    output_tokens_details: Type.Optional(
      Type.Union([
        Type.Object({ thinking_tokens: Type.Optional(count) }, { additionalProperties: true }),
        Type.Null(),
      ]),
    ),
  },
  { additionalProperties: true },
);

/** A Message: the answer of `POST /v1/messages`. */
export const messagesResponseSchema = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal('message'),
    role: Type.Literal('assistant'),
    model: Type.String(),
    content: Type.Array(Type.Object({ type: Type.String() }, { additionalProperties: true })),
    stop_reason: Type.String(),
    stop_sequence: Type.Union([Type.String(), Type.Null()]),
    usage,
  },
  { additionalProperties: true },
);

/** The error of the Messages endpoints. */
export const messagesErrorSchema = Type.Object({
  type: Type.Literal('error'),
  error: Type.Object({ type: Type.String(), message: Type.String() }, { additionalProperties: true }),
  request_id: Type.Optional(Type.String()),
});
