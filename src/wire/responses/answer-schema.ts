import { type TSchema, Type } from 'typebox';

const open = { additionalProperties: true };
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const words = (...list: string[]) => Type.Union(list.map((word) => Type.Literal(word)));

const usage = Type.Object(
  {
    input_tokens: Type.Integer(),
    input_tokens_details: Type.Object(
      { cached_tokens: Type.Integer(), cache_write_tokens: Type.Integer() },
      open,
    ),
    output_tokens: Type.Integer(),
    output_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }),
    total_tokens: Type.Integer(),
    cost: Type.Optional(Type.Number({ description: 'What this answer cost, in USD.' })),
  },
  open,
);

/** The JSON answer of `POST /v1/responses` and `GET /v1/responses/{id}`. */
export const responseSchema = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('response'),
    created_at: Type.Integer(),
    status: words('completed', 'incomplete'),
    error: Type.Null(),
    incomplete_details: nullable(Type.Object({ reason: words('max_output_tokens', 'content_filter') })),
    model: Type.String(),
    output: Type.Array(Type.Object({ id: Type.String(), type: Type.String() }, open)),
    usage: nullable(usage),
    previous_response_id: nullable(Type.String()),
    metadata: Type.Record(Type.String(), Type.String(), { description: 'The request’s own.' }),
  },
  open,
);
