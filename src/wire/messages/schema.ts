import { Type } from 'typebox';

const cacheControl = Type.Object(
  {
    type: Type.Literal('ephemeral'),
    ttl: Type.Optional(Type.Union([Type.Literal('5m'), Type.Literal('1h')])),
  },
  { description: 'A prompt-cache breakpoint after this block or tool.' },
);

const block = Type.Object(
  { type: Type.String(), cache_control: Type.Optional(Type.Union([cacheControl, Type.Null()])) },
  {
    additionalProperties: true,
    description:
      'A content block of the Messages API. Block types the gateway does not know are carried as they are.',
  },
);

const content = Type.Union([Type.String(), Type.Array(block)]);

const message = Type.Object({
  role: Type.Union([Type.Literal('user'), Type.Literal('assistant'), Type.Literal('system')]),
  content,
});

const tool = Type.Object(
  {
    name: Type.Optional(Type.String({ description: 'Required but for toolsets.' })),
    type: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    description: Type.Optional(Type.String()),
    input_schema: Type.Optional(Type.Object({}, { additionalProperties: true })),
    defer_loading: Type.Optional(Type.Boolean({ description: 'Load on demand through tool search.' })),
    strict: Type.Optional(Type.Boolean()),
    cache_control: Type.Optional(Type.Union([cacheControl, Type.Null()])),
  },
  { additionalProperties: true },
);

const thinking = Type.Object(
  {
    type: Type.String({ description: '`enabled`, `adaptive`, `disabled` or `between_tools`.' }),
    budget_tokens: Type.Optional(Type.Integer({ minimum: 0 })),
    display: Type.Optional(Type.String()),
  },
  { additionalProperties: true },
);

const toolChoice = Type.Object(
  {
    type: Type.String({ description: '`auto`, `any`, `tool` or `none`.' }),
    name: Type.Optional(Type.String()),
    disable_parallel_tool_use: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: true },
);

const outputConfig = Type.Object(
  {
    effort: Type.Optional(Type.String()),
    format: Type.Optional(Type.Object({ type: Type.String() }, { additionalProperties: true })),
  },
  { additionalProperties: true },
);

/** Body of `POST /v1/messages`. */
export const messagesRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    max_tokens: Type.Integer({ minimum: 0 }),
    messages: Type.Array(message, { minItems: 1, maxItems: 100_000 }),
    system: Type.Optional(content),
    tools: Type.Optional(Type.Array(tool, { maxItems: 10_000 })),
    tool_choice: Type.Optional(toolChoice),
    thinking: Type.Optional(thinking),
    output_config: Type.Optional(outputConfig),
    stop_sequences: Type.Optional(Type.Array(Type.String())),
    stream: Type.Optional(Type.Boolean()),
    temperature: Type.Optional(Type.Number()),
    top_p: Type.Optional(Type.Number()),
    top_k: Type.Optional(Type.Integer({ minimum: 0 })),
    metadata: Type.Optional(
      Type.Object({ user_id: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
    ),
    service_tier: Type.Optional(Type.String()),
  },
  {
    additionalProperties: true,
    description: 'A request in the Messages format. Unknown parameters are ignored.',
  },
);

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
