import { type Static, type TObject, type TSchema, Type } from 'typebox';

// The single schema of the format, used for the OpenAPI document and the decoders' types. decode-request validates
// requests, because it names paths and distinguishes a Chat body from a malformed one.

const open = { additionalProperties: true };
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const maybe = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));
/** Forwarded unchanged. */
const carried = Type.Optional(Type.Unknown());
const anyObject = Type.Object({}, open);
const words = (...list: string[]) => Type.Union(list.map((word) => Type.Literal(word)));

const cacheMark = {
  prompt_cache_breakpoint: maybe(
    Type.Object({ mode: Type.Literal('explicit'), ttl: Type.Optional(words('30m', '12h')) }),
  ),
  cache_control: maybe(
    Type.Object({ type: Type.Literal('ephemeral'), ttl: Type.Optional(words('5m', '1h')) }),
  ),
};

const textPart = Type.Object(
  { type: words('input_text', 'output_text'), text: Type.String(), ...cacheMark },
  open,
);
const refusalPart = Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() }, open);
const imagePart = Type.Object(
  {
    type: Type.Literal('input_image'),
    image_url: maybe(Type.String({ description: 'An address or a data URL.' })),
    file_id: maybe(Type.String()),
    detail: Type.Optional(words('low', 'high', 'auto', 'original')),
    ...cacheMark,
  },
  open,
);
const filePart = Type.Object(
  {
    type: Type.Literal('input_file'),
    file_data: Type.Optional(Type.String({ description: 'A data URL.' })),
    file_url: Type.Optional(Type.String()),
    file_id: maybe(Type.String()),
    filename: Type.Optional(Type.String()),
    ...cacheMark,
  },
  open,
);
const audioPart = Type.Object(
  {
    type: Type.Literal('input_audio'),
    input_audio: Type.Object({ data: Type.String(), format: Type.String() }),
    ...cacheMark,
  },
  open,
);
const part = Type.Union([textPart, refusalPart, imagePart, filePart, audioPart]);
const content = Type.Union([Type.String(), Type.Array(part)]);
const itemId = { id: maybe(Type.String()) };

const message = Type.Object(
  {
    type: Type.Optional(Type.Literal('message')),
    role: words('user', 'assistant', 'system', 'developer'),
    content,
    phase: maybe(Type.String()),
    ...itemId,
  },
  open,
);
const functionCall = Type.Object(
  {
    type: Type.Literal('function_call'),
    call_id: Type.String({ minLength: 1 }),
    name: Type.String({ minLength: 1 }),
    arguments: Type.String(),
    namespace: maybe(Type.String()),
    ...itemId,
  },
  open,
);
const customCall = Type.Object(
  {
    type: Type.Literal('custom_tool_call'),
    call_id: Type.String({ minLength: 1 }),
    name: Type.String({ minLength: 1 }),
    input: Type.String(),
    namespace: maybe(Type.String()),
    ...itemId,
  },
  open,
);
const callOutput = Type.Object(
  {
    type: words('function_call_output', 'custom_tool_call_output'),
    call_id: Type.String({ minLength: 1 }),
    output: content,
  },
  open,
);
const reasoningItem = Type.Object(
  {
    type: Type.Literal('reasoning'),
    summary: Type.Array(Type.Object({ type: Type.Literal('summary_text'), text: Type.String() })),
    content: maybe(Type.Array(Type.Object({ type: Type.Literal('reasoning_text'), text: Type.String() }))),
    ...itemId,
    encrypted_content: maybe(
      Type.String({ description: 'Sent only to the provider that encrypted or signed it.' }),
    ),
  },
  open,
);
const imageCall = Type.Object(
  {
    type: Type.Literal('image_generation_call'),
    result: maybe(Type.String({ description: 'Base64.' })),
    output_format: Type.Optional(Type.String()),
    ...itemId,
  },
  open,
);
const nativeItem = Type.Object(
  {
    type: Type.String({
      description: 'Any other item of the format; sent to upstreams of this format only.',
    }),
  },
  open,
);

const item = Type.Union([
  message,
  functionCall,
  customCall,
  callOutput,
  reasoningItem,
  imageCall,
  nativeItem,
]);

/** Members that exist only in this format. */
const keptFields = { allowed_callers: carried, async: carried, output_schema: carried };
const functionTool = Type.Object(
  {
    type: Type.Literal('function'),
    name: Type.String({ minLength: 1 }),
    description: maybe(Type.String()),
    parameters: maybe(anyObject),
    strict: maybe(Type.Boolean()),
    defer_loading: Type.Optional(Type.Boolean()),
    ...keptFields,
  },
  open,
);
const customTool = Type.Object(
  {
    type: Type.Literal('custom'),
    name: Type.String({ minLength: 1 }),
    description: Type.Optional(Type.String()),
    format: Type.Optional(anyObject),
    defer_loading: Type.Optional(Type.Boolean()),
    ...keptFields,
  },
  open,
);
const namespace = Type.Object(
  {
    type: Type.Literal('namespace'),
    name: Type.String({ minLength: 1 }),
    description: Type.Optional(Type.String()),
    tools: Type.Array(Type.Union([functionTool, customTool])),
  },
  open,
);
const nativeTool = Type.Object({ type: Type.String() }, open);

const tool = Type.Union([functionTool, customTool, namespace, nativeTool]);

const toolChoice = Type.Union([
  words('none', 'auto', 'required'),
  Type.Object(
    { type: words('function', 'custom'), name: Type.String(), namespace: maybe(Type.String()) },
    open,
  ),
  Type.Object({
    type: Type.Literal('allowed_tools'),
    mode: words('auto', 'required'),
    tools: Type.Array(anyObject),
  }),
  Type.Object({ type: Type.String() }, open),
]);
const textFormat = Type.Union([
  Type.Object({ type: words('text', 'json_object') }),
  Type.Object({
    type: Type.Literal('json_schema'),
    name: Type.String(),
    schema: anyObject,
    description: Type.Optional(Type.String()),
    strict: maybe(Type.Boolean()),
  }),
]);
const reasoning = Type.Object(
  {
    effort: maybe(words('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
    summary: maybe(words('auto', 'concise', 'detailed')),
    generate_summary: maybe(Type.String({ deprecated: true })),
  },
  open,
);

const text = Type.Object({
  format: Type.Optional(textFormat),
  verbosity: maybe(words('low', 'medium', 'high')),
});

/** Members outside the neutral model. */
const ownFields = {
  access_programs: carried,
  context_management: carried,
  image: carried,
  moderation: carried,
  prompt_cache_retention: carried,
};
/** Refused by name unless empty or disabled. */
const unsupported = {
  background: maybe(Type.Boolean({ description: 'Only `false`.' })),
  conversation: maybe(Type.Unknown({ description: 'Not supported.' })),
  prompt: maybe(Type.Unknown({ description: 'Not supported.' })),
  top_logprobs: maybe(Type.Integer({ minimum: 0, maximum: 0 })),
};

/** The body of `POST /v1/responses`. */
export const responsesRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    input: Type.Optional(
      Type.Union([Type.String({ minLength: 1 }), Type.Array(item, { maxItems: 100_000 })]),
    ),
    instructions: maybe(Type.String()),
    previous_response_id: maybe(Type.String()),
    store: maybe(
      Type.Boolean({ description: 'Kept for 30 days for `previous_response_id`; true by default.' }),
    ),
    tools: Type.Optional(Type.Array(tool, { maxItems: 10_000 })),
    tool_choice: maybe(toolChoice),
    parallel_tool_calls: maybe(Type.Boolean()),
    max_output_tokens: maybe(Type.Integer({ minimum: 1 })),
    max_tool_calls: maybe(Type.Integer({ minimum: 1 })),
    reasoning: maybe(reasoning),
    text: maybe(text),
    temperature: maybe(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: maybe(Type.Number({ minimum: 0, maximum: 1 })),
    include: maybe(Type.Array(Type.String())),
    metadata: maybe(Type.Record(Type.String(), Type.String())),
    prompt_cache_key: maybe(Type.String()),
    prompt_cache_options: Type.Optional(anyObject),
    safety_identifier: maybe(Type.String()),
    user: maybe(Type.String()),
    service_tier: maybe(Type.String()),
    truncation: maybe(words('auto', 'disabled')),
    stream: maybe(Type.Boolean()),
    stream_options: maybe(anyObject),
    ...ownFields,
    ...unsupported,
  },
  open,
);

/** A body of the format, and its parts. */
export type ResponsesBody = Static<typeof responsesRequestSchema>;
export type ResponsesItem = Static<typeof item>;
export type ResponsesContent = Static<typeof content>;
export type ResponsesPart = Static<typeof part>;
/** Objects that may have a prompt-cache mark. */
export type ResponsesMarked = Static<TObject<typeof cacheMark>>;
export type ResponsesTool = Static<typeof tool>;
export type ResponsesToolChoice = Static<typeof toolChoice>;
export type ResponsesReasoning = Static<typeof reasoning>;
export type ResponsesText = Static<typeof text>;
export type ResponsesTextFormat = Static<typeof textFormat>;
