import { type TSchema, Type } from 'typebox';

// These schemas describe the format to readers of the OpenAPI document. Requests are judged by decode-request,
// which names paths and tells a Messages body from a malformed one.

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const open = { additionalProperties: true };

const cacheMarks = {
  prompt_cache_breakpoint: Type.Optional(
    Type.Object({
      mode: Type.Literal('explicit'),
      ttl: Type.Optional(Type.Union([Type.Literal('30m'), Type.Literal('12h')])),
    }),
  ),
  cache_control: Type.Optional(
    Type.Object({
      type: Type.Literal('ephemeral'),
      ttl: Type.Optional(Type.Union([Type.Literal('5m'), Type.Literal('1h')])),
    }),
  ),
};

const textPart = Type.Object({ type: Type.Literal('text'), text: Type.String(), ...cacheMarks }, open);
const refusalPart = Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() }, open);
const imagePart = Type.Object(
  {
    type: Type.Literal('image_url'),
    image_url: Type.Object({ url: Type.String(), detail: Type.Optional(Type.String()) }),
    ...cacheMarks,
  },
  open,
);
const audioPart = Type.Object(
  {
    type: Type.Literal('input_audio'),
    input_audio: Type.Object({ data: Type.String(), format: Type.String() }),
    ...cacheMarks,
  },
  open,
);
const filePart = Type.Object(
  {
    type: Type.Literal('file'),
    file: Type.Object({
      file_data: Type.Optional(Type.String()),
      file_id: Type.Optional(Type.String()),
      filename: Type.Optional(Type.String()),
    }),
    ...cacheMarks,
  },
  open,
);

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

const textContent = Type.Union([Type.String(), Type.Array(textPart)]);
const message = Type.Union([
  Type.Object(
    {
      role: Type.Union([Type.Literal('system'), Type.Literal('developer')]),
      content: textContent,
      ...cacheMarks,
    },
    open,
  ),
  Type.Object(
    {
      role: Type.Literal('user'),
      content: Type.Union([
        Type.String(),
        Type.Array(Type.Union([textPart, imagePart, audioPart, filePart]), { minItems: 1 }),
      ]),
      name: Type.Optional(Type.String()),
      ...cacheMarks,
    },
    open,
  ),
  Type.Object(
    {
      role: Type.Literal('assistant'),
      content: Type.Optional(
        Type.Union([Type.String(), Type.Array(Type.Union([textPart, refusalPart])), Type.Null()]),
      ),
      refusal: Type.Optional(nullable(Type.String())),
      reasoning_content: Type.Optional(nullable(Type.String())),
      reasoning_details: Type.Optional(Type.Array(Type.Object({}, open))),
      images: Type.Optional(Type.Array(Type.Object({}, open))),
      tool_calls: Type.Optional(Type.Array(toolCall)),
      ...cacheMarks,
    },
    open,
  ),
  Type.Object(
    { role: Type.Literal('tool'), tool_call_id: Type.String(), content: textContent, ...cacheMarks },
    open,
  ),
]);

const functionTool = Type.Object(
  {
    type: Type.Literal('function'),
    function: Type.Object({
      name: Type.String({ minLength: 1 }),
      description: Type.Optional(Type.String()),
      parameters: Type.Optional(Type.Object({}, open)),
      strict: Type.Optional(nullable(Type.Boolean())),
    }),
    ...cacheMarks,
  },
  open,
);
const customTool = Type.Object(
  { type: Type.Literal('custom'), custom: Type.Object({ name: Type.String({ minLength: 1 }) }, open) },
  open,
);
const toolChoice = Type.Union([
  Type.Literal('none'),
  Type.Literal('auto'),
  Type.Literal('required'),
  Type.Object({ type: Type.Literal('function'), function: Type.Object({ name: Type.String() }) }),
  Type.Object({ type: Type.Literal('custom'), custom: Type.Object({ name: Type.String() }) }),
  Type.Object({ type: Type.Literal('allowed_tools'), allowed_tools: Type.Object({}, open) }),
]);
const responseFormat = Type.Union([
  Type.Object({ type: Type.Literal('text') }),
  Type.Object({ type: Type.Literal('json_object') }),
  Type.Object({
    type: Type.Literal('json_schema'),
    json_schema: Type.Object({
      name: Type.String(),
      description: Type.Optional(Type.String()),
      schema: Type.Optional(Type.Object({}, open)),
      strict: Type.Optional(nullable(Type.Boolean())),
    }),
  }),
]);
const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
const number = (minimum: number, maximum: number) =>
  Type.Optional(nullable(Type.Number({ minimum, maximum })));
const count = (minimum: number, maximum: number) =>
  Type.Optional(nullable(Type.Integer({ minimum, maximum })));

/** The body of `POST /v1/chat/completions`. */
export const chatRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    messages: Type.Array(message, { minItems: 1, maxItems: 100_000 }),
    max_completion_tokens: count(1, 1_000_000_000),
    max_tokens: count(1, 1_000_000_000),
    temperature: number(0, 2),
    top_p: number(0, 1),
    top_k: count(0, 1_000_000),
    frequency_penalty: number(-2, 2),
    presence_penalty: number(-2, 2),
    seed: Type.Optional(nullable(Type.Integer())),
    n: count(1, 128),
    stop: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()])),
    stream: Type.Optional(nullable(Type.Boolean())),
    stream_options: Type.Optional(
      nullable(Type.Object({ include_usage: Type.Optional(Type.Boolean()) }, open)),
    ),
    tools: Type.Optional(Type.Array(Type.Union([functionTool, customTool]), { maxItems: 10_000 })),
    tool_choice: Type.Optional(toolChoice),
    parallel_tool_calls: Type.Optional(Type.Boolean()),
    response_format: Type.Optional(responseFormat),
    reasoning_effort: Type.Optional(nullable(Type.Union(efforts.map((word) => Type.Literal(word))))),
    user: Type.Optional(Type.String()),
    safety_identifier: Type.Optional(nullable(Type.String())),
    service_tier: Type.Optional(nullable(Type.String())),
    metadata: Type.Optional(nullable(Type.Record(Type.String(), Type.String()))),
    prompt_cache_key: Type.Optional(nullable(Type.String())),
  },
  open,
);

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
