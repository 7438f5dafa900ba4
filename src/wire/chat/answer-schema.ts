import { type TSchema, Type } from 'typebox';

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const open = { additionalProperties: true };

const toolCall = Type.Union([
  Type.Object({
    id: Type.String(),
    type: Type.Literal('function'),
    function: Type.Object({ name: Type.String(), arguments: Type.String() }),
  }),
  Type.Object({
    id: Type.String(),
    type: Type.Literal('custom'),
    custom: Type.Object({ name: Type.String(), input: Type.String() }),
  }),
]);

const usage = Type.Object(
  {
    prompt_tokens: Type.Integer(),
    completion_tokens: Type.Integer(),
    total_tokens: Type.Integer(),
    prompt_tokens_details: Type.Object({
      cached_tokens: Type.Integer(),
      cache_write_tokens: Type.Integer(),
      audio_tokens: Type.Integer(),
    }),
    completion_tokens_details: Type.Object({
      reasoning_tokens: Type.Integer(),
      audio_tokens: Type.Integer(),
      image_tokens: Type.Optional(Type.Integer()),
    }),
    cost: Type.Optional(Type.Number({ description: 'What this answer cost, in USD.' })),
  },
  open,
);

/** The JSON answer of `POST /v1/chat/completions`. */
export const chatResponseSchema = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('chat.completion'),
    created: Type.Integer(),
    model: Type.String(),
    choices: Type.Array(
      Type.Object({
        index: Type.Integer(),
        message: Type.Object(
          {
            role: Type.Literal('assistant'),
            content: nullable(Type.String()),
            refusal: nullable(Type.String()),
            reasoning_content: Type.Optional(Type.String()),
            reasoning_details: Type.Optional(Type.Array(Type.Object({}, open))),
            tool_calls: Type.Optional(Type.Array(toolCall)),
            function_call: Type.Optional(
              Type.Object(
                { name: Type.String(), arguments: Type.String() },
                { description: 'In place of `tool_calls` where the request has `functions`.' },
              ),
            ),
            annotations: Type.Optional(Type.Array(Type.Object({}, open))),
            images: Type.Optional(
              Type.Array(
                Type.Object({
                  index: Type.Integer(),
                  type: Type.Literal('image_url'),
                  image_url: Type.Object({ url: Type.String() }),
                }),
                { description: 'Pictures that the model has drawn.' },
              ),
            ),
          },
          open,
        ),
        logprobs: nullable(Type.Object({}, open)),
        finish_reason: Type.Union([
          Type.Literal('stop'),
          Type.Literal('length'),
          Type.Literal('tool_calls'),
          Type.Literal('function_call'),
          Type.Literal('content_filter'),
        ]),
      }),
    ),
    usage: Type.Optional(usage),
    service_tier: Type.Optional(Type.String()),
    system_fingerprint: Type.Optional(Type.String()),
    metadata: Type.Optional(
      Type.Object({}, { ...open, description: 'Request id, used provider and model, attempts.' }),
    ),
  },
  open,
);

/** The error body of every endpoint that does not speak Messages. */
export const openaiErrorSchema = Type.Object({
  error: Type.Object({
    message: Type.String(),
    type: Type.String(),
    param: Type.String(),
    code: Type.String(),
  }),
});
