import { type TSchema, Type } from 'typebox';

// These schemas describe the format to readers of the OpenAPI document. Requests are judged by decode-request,
// which names paths and tells a Chat body from a malformed one.

const open = { additionalProperties: true };
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const maybe = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));
const words = (...list: string[]) => Type.Union(list.map((word) => Type.Literal(word)));

const cacheMark = {
  prompt_cache_breakpoint: maybe(
    Type.Object({ mode: Type.Literal('explicit'), ttl: Type.Optional(words('30m', '12h')) }),
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
const content = Type.Union([
  Type.String(),
  Type.Array(Type.Union([textPart, refusalPart, imagePart, filePart])),
]);

const message = Type.Object(
  {
    type: Type.Optional(Type.Literal('message')),
    role: words('user', 'assistant', 'system', 'developer'),
    content,
  },
  open,
);
const functionCall = Type.Object(
  {
    type: Type.Literal('function_call'),
    call_id: Type.String({ minLength: 1 }),
    name: Type.String({ minLength: 1 }),
    arguments: Type.String(),
    namespace: Type.Optional(Type.String()),
  },
  open,
);
const customCall = Type.Object(
  {
    type: Type.Literal('custom_tool_call'),
    call_id: Type.String({ minLength: 1 }),
    name: Type.String({ minLength: 1 }),
    input: Type.String(),
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
    encrypted_content: maybe(
      Type.String({ description: 'Goes back only to whoever encrypted or signed it.' }),
    ),
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

const functionTool = Type.Object(
  {
    type: Type.Literal('function'),
    name: Type.String({ minLength: 1 }),
    description: maybe(Type.String()),
    parameters: maybe(Type.Object({}, open)),
    strict: maybe(Type.Boolean()),
    defer_loading: Type.Optional(Type.Boolean()),
  },
  open,
);
const customTool = Type.Object(
  {
    type: Type.Literal('custom'),
    name: Type.String({ minLength: 1 }),
    description: Type.Optional(Type.String()),
    format: Type.Optional(Type.Object({}, open)),
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

const toolChoice = Type.Union([
  words('none', 'auto', 'required'),
  Type.Object({ type: words('function', 'custom'), name: Type.String() }, open),
  Type.Object({
    type: Type.Literal('allowed_tools'),
    mode: words('auto', 'required'),
    tools: Type.Array(Type.Object({}, open)),
  }),
  Type.Object({ type: Type.String() }, open),
]);
const textFormat = Type.Union([
  Type.Object({ type: words('text', 'json_object') }),
  Type.Object({
    type: Type.Literal('json_schema'),
    name: Type.String(),
    schema: Type.Object({}, open),
    description: Type.Optional(Type.String()),
    strict: maybe(Type.Boolean()),
  }),
]);
const reasoning = Type.Object(
  {
    effort: maybe(words('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
    summary: maybe(words('auto', 'concise', 'detailed')),
  },
  open,
);

/** The body of `POST /v1/responses`. */
export const responsesRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    input: Type.Optional(
      Type.Union([
        Type.String({ minLength: 1 }),
        Type.Array(Type.Union([message, functionCall, customCall, callOutput, reasoningItem, nativeItem]), {
          maxItems: 100_000,
        }),
      ]),
    ),
    instructions: maybe(Type.String()),
    previous_response_id: maybe(Type.String()),
    store: maybe(
      Type.Boolean({ description: 'Kept for 30 days for `previous_response_id`; true by default.' }),
    ),
    tools: Type.Optional(
      Type.Array(Type.Union([functionTool, customTool, namespace, nativeTool]), { maxItems: 10_000 }),
    ),
    tool_choice: maybe(toolChoice),
    parallel_tool_calls: maybe(Type.Boolean()),
    max_output_tokens: maybe(Type.Integer({ minimum: 1 })),
    max_tool_calls: maybe(Type.Integer({ minimum: 1 })),
    reasoning: maybe(reasoning),
    text: maybe(
      Type.Object({ format: Type.Optional(textFormat), verbosity: maybe(words('low', 'medium', 'high')) }),
    ),
    temperature: maybe(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: maybe(Type.Number({ minimum: 0, maximum: 1 })),
    include: maybe(Type.Array(Type.String())),
    metadata: maybe(Type.Record(Type.String(), Type.String())),
    prompt_cache_key: maybe(Type.String()),
    prompt_cache_options: Type.Optional(Type.Object({}, open)),
    safety_identifier: maybe(Type.String()),
    user: maybe(Type.String()),
    service_tier: maybe(Type.String()),
    truncation: maybe(words('auto', 'disabled')),
    stream: maybe(Type.Boolean()),
    stream_options: maybe(Type.Object({}, open)),
  },
  open,
);

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

/** The JSON answer of `POST /v1/responses`, and what `GET /v1/responses/{id}` gives again. */
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
