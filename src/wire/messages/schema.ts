import { type Static, type TSchema, Type } from 'typebox';

// The only description of the format: it appears in the OpenAPI document, and decoders are typed by it. decode-request
// checks requests, names paths and recognizes a Chat body.

const open = { additionalProperties: true };
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const maybe = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));
const anyObject = Type.Object({}, open);
/** Forwarded unchanged. */
const carried = Type.Optional(Type.Unknown());

const cacheControl = Type.Object(
  {
    type: Type.Literal('ephemeral'),
    ttl: Type.Optional(Type.Union([Type.Literal('5m'), Type.Literal('1h')])),
  },
  { description: 'A prompt-cache breakpoint after this block or tool.' },
);

const marked = { cache_control: maybe(cacheControl) };

const textBlock = Type.Object(
  {
    type: Type.Literal('text'),
    text: Type.String(),
    citations: maybe(Type.Array(Type.Object({ type: Type.String() }, open))),
    ...marked,
  },
  open,
);
const sourceFields = {
  type: Type.String({ description: '`base64`, `url`, `file`, `text` or `content`.' }),
  media_type: maybe(Type.String()),
  data: Type.Optional(Type.String({ description: 'Base64; of `text` the text itself.' })),
  url: Type.Optional(Type.String()),
  file_id: Type.Optional(Type.String()),
};
const imageBlock = Type.Object(
  { type: Type.Literal('image'), source: Type.Object(sourceFields, open), ...marked },
  open,
);
const simpleContent = Type.Union([Type.String(), Type.Array(Type.Union([textBlock, imageBlock]))]);
const source = Type.Object({ ...sourceFields, content: Type.Optional(simpleContent) }, open);
const documentBlock = Type.Object(
  {
    type: Type.Literal('document'),
    source,
    title: maybe(Type.String()),
    context: maybe(Type.String()),
    citations: maybe(anyObject),
    ...marked,
  },
  open,
);
const searchResultBlock = Type.Object(
  {
    type: Type.Literal('search_result'),
    title: Type.String(),
    source: Type.String(),
    content: Type.Array(textBlock),
    citations: maybe(anyObject),
    ...marked,
  },
  open,
);
const thinkingBlock = Type.Object(
  { type: Type.Literal('thinking'), thinking: Type.String(), signature: maybe(Type.String()) },
  open,
);
const redactedBlock = Type.Object({ type: Type.Literal('redacted_thinking'), data: Type.String() }, open);
const toolUseBlock = Type.Object(
  {
    type: Type.Literal('tool_use'),
    id: Type.String(),
    name: Type.String(),
    input: anyObject,
    ...marked,
  },
  open,
);
const otherBlock = Type.Object(
  { type: Type.String(), ...marked },
  { ...open, description: 'Blocks of other types are carried as they are.' },
);
const resultContent = Type.Union([
  Type.String(),
  Type.Array(Type.Union([textBlock, imageBlock, documentBlock, searchResultBlock, otherBlock])),
]);
const toolResultBlock = Type.Object(
  {
    type: Type.Literal('tool_result'),
    tool_use_id: Type.String(),
    content: maybe(resultContent),
    is_error: maybe(Type.Boolean()),
    ...marked,
  },
  open,
);
const block = Type.Union(
  [
    textBlock,
    imageBlock,
    documentBlock,
    searchResultBlock,
    thinkingBlock,
    redactedBlock,
    toolUseBlock,
    toolResultBlock,
    otherBlock,
  ],
  { description: 'A content block of the Messages API.' },
);

const content = Type.Union([Type.String(), Type.Array(block)]);
const systemContent = Type.Union([Type.String(), Type.Array(Type.Union([textBlock, otherBlock]))]);

const message = Type.Object({
  role: Type.Union([Type.Literal('user'), Type.Literal('assistant'), Type.Literal('system')]),
  content,
});

const tool = Type.Object(
  {
    name: Type.Optional(Type.String({ description: 'Required but for toolsets.' })),
    type: maybe(Type.String()),
    description: Type.Optional(Type.String()),
    input_schema: Type.Optional(anyObject),
    defer_loading: Type.Optional(Type.Boolean({ description: 'Load on demand through tool search.' })),
    strict: Type.Optional(Type.Boolean()),
    ...marked,
  },
  open,
);

const thinking = Type.Object(
  {
    type: Type.String({ description: '`enabled`, `adaptive`, `disabled` or `between_tools`.' }),
    budget_tokens: Type.Optional(Type.Integer({ minimum: 0 })),
    display: Type.Optional(Type.String()),
  },
  open,
);

const toolChoice = Type.Object(
  {
    type: Type.String({ description: '`auto`, `any`, `tool` or `none`.' }),
    name: Type.Optional(Type.String()),
    disable_parallel_tool_use: Type.Optional(Type.Boolean()),
  },
  open,
);

const outputFormat = Type.Object(
  {
    type: Type.String({ description: '`json_schema`.' }),
    schema: Type.Optional(anyObject),
  },
  open,
);
const outputConfig = Type.Object(
  { effort: Type.Optional(Type.String()), format: Type.Optional(outputFormat), task_budget: carried },
  open,
);

/** Members that only Anthropic's service reads. */
const ownFields = {
  cache_control: maybe(cacheControl),
  container: carried,
  speed: Type.Optional(Type.String()),
  inference_geo: Type.Optional(Type.String()),
  diagnostics: carried,
  context_management: carried,
  mcp_servers: carried,
  compaction: carried,
  fallbacks: carried,
  fallback_credit_token: carried,
  thread: carried,
  billing_policy: carried,
};

/** Body of `POST /v1/messages`. */
export const messagesRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    max_tokens: Type.Integer({ minimum: 0 }),
    messages: Type.Array(message, { minItems: 1, maxItems: 100_000 }),
    system: Type.Optional(systemContent),
    tools: Type.Optional(Type.Array(tool, { maxItems: 10_000 })),
    tool_choice: Type.Optional(toolChoice),
    thinking: Type.Optional(thinking),
    output_config: Type.Optional(outputConfig),
    output_format: Type.Optional(outputFormat),
    stop_sequences: Type.Optional(Type.Array(Type.String())),
    stream: Type.Optional(Type.Boolean()),
    temperature: Type.Optional(Type.Number()),
    top_p: Type.Optional(Type.Number()),
    top_k: Type.Optional(Type.Integer({ minimum: 0 })),
    metadata: Type.Optional(Type.Object({ user_id: maybe(Type.String()) })),
    service_tier: Type.Optional(Type.String()),
    ...ownFields,
  },
  {
    additionalProperties: true,
    description: 'A request in the Messages format. Unknown parameters are ignored.',
  },
);

export type MessagesBody = Static<typeof messagesRequestSchema>;
export type MessagesMessage = Static<typeof message>;
export type MessagesContent = Static<typeof content>;
export type MessagesBlock = Static<typeof block>;
export type MessagesSource = Static<typeof source>;
export type MessagesTool = Static<typeof tool>;
export type MessagesToolChoice = Static<typeof toolChoice>;
export type MessagesThinking = Static<typeof thinking>;
export type MessagesOutputConfig = Static<typeof outputConfig>;
export type MessagesOutputFormat = Static<typeof outputFormat>;
export type MessagesCacheControl = Static<typeof cacheControl>;
