import { type Static, type TObject, type TSchema, Type } from 'typebox';

// The single schema of the format, used for the OpenAPI document and the decoders' types. decode-request validates
// requests, because it names paths and distinguishes a Messages body from a malformed one.

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const maybe = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));
const open = { additionalProperties: true };
const anyObject = Type.Object({}, open);

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

const customCalled = Type.Object({ name: Type.String(), input: Type.String() });
const functionCalled = Type.Object({ name: Type.String(), arguments: Type.String() });
/** A call as clients replay it, with the members that answers add. */
const replayed = {
  extra_content: Type.Optional(
    Type.Object(
      { google: Type.Optional(Type.Object({ thought_signature: Type.Optional(Type.String()) }, open)) },
      { ...open, description: 'What a provider sent with the call, such as Google’s signature of it.' },
    ),
  ),
  ...cacheMarks,
};
const replayedCall = Type.Union([
  Type.Object(
    { id: Type.String(), type: Type.Literal('function'), function: functionCalled, ...replayed },
    open,
  ),
  Type.Object(
    {
      id: Type.String(),
      type: Type.Literal('custom'),
      custom: customCalled,
      ...replayed,
    },
    open,
  ),
]);
const replayedReasoning = Type.Object(
  {
    type: Type.Optional(Type.String()),
    text: Type.Optional(Type.String()),
    summary: Type.Optional(Type.String()),
    data: Type.Optional(Type.String()),
    signature: maybe(Type.String()),
    format: maybe(Type.String()),
  },
  open,
);
const replayedImage = Type.Object(
  { image_url: Type.Union([Type.Object({ url: Type.String() }, open), Type.String()]) },
  open,
);

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
      refusal: maybe(Type.String()),
      name: Type.Optional(Type.String()),
      audio: maybe(anyObject),
      reasoning_content: maybe(Type.String()),
      reasoning: maybe(Type.String()),
      reasoning_details: Type.Optional(Type.Array(replayedReasoning)),
      images: Type.Optional(Type.Array(replayedImage)),
      tool_calls: Type.Optional(Type.Array(replayedCall)),
      function_call: Type.Optional(nullable(functionCalled)),
      ...cacheMarks,
    },
    open,
  ),
  Type.Object(
    { role: Type.Literal('tool'), tool_call_id: Type.String(), content: textContent, ...cacheMarks },
    open,
  ),
  Type.Object(
    { role: Type.Literal('function'), name: Type.String(), content: textContent, ...cacheMarks },
    { ...open, deprecated: true, description: 'The answer to a `function_call`.' },
  ),
]);

const functionShape = Type.Object({
  name: Type.String({ minLength: 1 }),
  description: Type.Optional(Type.String()),
  parameters: Type.Optional(anyObject),
  strict: maybe(Type.Boolean()),
});
const functionTool = Type.Object(
  { type: Type.Literal('function'), function: functionShape, ...cacheMarks },
  open,
);
const customFormat = Type.Object({
  type: Type.String({ description: '`text` or `grammar`.' }),
  grammar: Type.Optional(Type.Object({ syntax: Type.String(), definition: Type.String() }, open)),
});
const customShape = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    description: Type.Optional(Type.String()),
    format: Type.Optional(customFormat),
  },
  open,
);
const customTool = Type.Object(
  {
    type: Type.Literal('custom'),
    custom: customShape,
    ...cacheMarks,
  },
  open,
);
const tool = Type.Union([functionTool, customTool]);
const toolChoice = Type.Union([
  Type.Literal('none'),
  Type.Literal('auto'),
  Type.Literal('required'),
  Type.Object({ type: Type.Literal('function'), function: Type.Object({ name: Type.String() }) }),
  Type.Object({ type: Type.Literal('custom'), custom: Type.Object({ name: Type.String() }) }),
  Type.Object({ type: Type.Literal('allowed_tools'), allowed_tools: anyObject }),
]);
const jsonSchema = Type.Object({
  name: Type.String(),
  description: Type.Optional(Type.String()),
  schema: Type.Optional(anyObject),
  strict: maybe(Type.Boolean()),
});
const responseFormat = Type.Union([
  Type.Object({ type: Type.Literal('text') }),
  Type.Object({ type: Type.Literal('json_object') }),
  Type.Object({
    type: Type.Literal('json_schema'),
    json_schema: jsonSchema,
  }),
]);
const streamOptions = Type.Object({ include_usage: Type.Optional(Type.Boolean()) }, open);
const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
const number = (minimum: number, maximum: number) =>
  Type.Optional(nullable(Type.Number({ minimum, maximum })));
const count = (minimum: number, maximum: number) =>
  Type.Optional(nullable(Type.Integer({ minimum, maximum })));

/** Fields outside the neutral model. */
const ownFields = {
  audio: maybe(anyObject),
  logit_bias: maybe(anyObject),
  logprobs: maybe(Type.Boolean()),
  modalities: maybe(Type.Array(Type.String())),
  moderation: maybe(anyObject),
  prediction: maybe(anyObject),
  prompt_cache_options: maybe(anyObject),
  prompt_cache_retention: maybe(Type.String()),
  store: maybe(Type.Boolean()),
  top_logprobs: count(0, 20),
  verbosity: maybe(Type.String()),
  web_search_options: maybe(anyObject),
};

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
    stream_options: maybe(streamOptions),
    tools: Type.Optional(Type.Array(tool, { maxItems: 10_000 })),
    tool_choice: Type.Optional(toolChoice),
    functions: Type.Optional(
      Type.Array(functionShape, { maxItems: 10_000, deprecated: true, description: 'In place of `tools`.' }),
    ),
    function_call: Type.Optional(
      Type.Union(
        [Type.Literal('none'), Type.Literal('auto'), Type.Object({ name: Type.String({ minLength: 1 }) })],
        { deprecated: true, description: 'In place of `tool_choice`.' },
      ),
    ),
    parallel_tool_calls: Type.Optional(Type.Boolean()),
    response_format: Type.Optional(responseFormat),
    reasoning_effort: Type.Optional(nullable(Type.Union(efforts.map((word) => Type.Literal(word))))),
    user: Type.Optional(Type.String()),
    safety_identifier: Type.Optional(nullable(Type.String())),
    service_tier: Type.Optional(nullable(Type.String())),
    metadata: Type.Optional(nullable(Type.Record(Type.String(), Type.String()))),
    prompt_cache_key: Type.Optional(nullable(Type.String())),
    ...ownFields,
  },
  open,
);

/** A body of the format, and its parts. */
export type ChatBody = Static<typeof chatRequestSchema>;
export type ChatMessage = Static<typeof message>;
export type ChatPart =
  | Static<typeof textPart>
  | Static<typeof refusalPart>
  | Static<typeof imagePart>
  | Static<typeof audioPart>
  | Static<typeof filePart>;
export type ChatToolCall = Static<typeof replayedCall>;
export type ChatTool = Static<typeof tool>;
export type ChatFunctionCalled = Static<typeof functionCalled>;
export type ChatCustomCalled = Static<typeof customCalled>;
export type ChatCustom = Static<typeof customShape>;
export type ChatFunction = Static<typeof functionShape>;
export type ChatCustomFormat = Static<typeof customFormat>;
export type ChatJsonSchema = Static<typeof jsonSchema>;
export type ChatResponseFormat = Static<typeof responseFormat>;
export type ChatStreamOptions = Static<typeof streamOptions>;
export type ChatReasoningDetail = Static<typeof replayedReasoning>;
export type ChatImage = Static<typeof replayedImage>;
/** Objects that may have a prompt-cache mark. */
export type ChatMarked = Static<TObject<typeof cacheMarks>>;
