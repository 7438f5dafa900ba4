import { type Static, type TSchema, Type } from 'typebox';
import { lenient, noted } from '../body/schema-notes.ts';
import { anyObject, carried, maybe, nullable, open, words } from '../body/schema-parts.ts';
import { inputSchema } from './item-schema.ts';
import { name, nativeTool, toolList } from './tool-schema.ts';

// The single schema of the format: for the OpenAPI document, the check of bodies (check-request.ts) and the types of what
// is read and written.

/** A closed list in the document; other values are accepted. */
const anyWord = { like: (): TSchema => maybe(Type.String()) };

const namedChoice = Type.Object({ type: words('function', 'custom'), name, namespace: maybe(name) }, open);
const allowedChoice = Type.Object(
  {
    type: Type.Literal('allowed_tools'),
    mode: words('auto', 'required'),
    tools: Type.Array(anyObject),
  },
  open,
);
const toolChoice = noted(
  Type.Union([words('none', 'auto', 'required'), namedChoice, allowedChoice, nativeTool]),
  { complaint: 'must be none, auto, required or an object that names a tool' },
);
const textFormat = Type.Union([
  Type.Object({ type: Type.Literal('text') }),
  Type.Object({ type: Type.Literal('json_object') }),
  Type.Object({
    type: Type.Literal('json_schema'),
    name,
    schema: anyObject,
    description: maybe(Type.String()),
    strict: maybe(Type.Boolean()),
  }),
]);
const reasoning = Type.Object(
  {
    effort: maybe(words('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
    summary: noted(maybe(words('auto', 'concise', 'detailed')), anyWord),
    generate_summary: maybe(Type.String({ deprecated: true })),
    max_tokens: maybe(Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'As at OpenRouter.' })),
    enabled: maybe(Type.Boolean({ description: 'As at OpenRouter.' })),
  },
  open,
);

const text = Type.Object({
  format: maybe(textFormat),
  verbosity: noted(maybe(words('low', 'medium', 'high')), anyWord),
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
  conversation: Type.Optional(lenient(nullable(Type.Unknown({ description: 'Not supported.' })))),
  prompt: Type.Optional(lenient(nullable(Type.Unknown({ description: 'Not supported.' })))),
  top_logprobs: noted(maybe(Type.Integer({ minimum: 0, maximum: 0 })), {
    like: (): TSchema => maybe(Type.Integer({ minimum: 0, maximum: 20 })),
  }),
};

const count = Type.Integer({ minimum: 1, maximum: 1_000_000_000 });

/** The body of `POST /v1/responses`. */
export const responsesRequestSchema = Type.Object(
  {
    model: name,
    input: Type.Optional(inputSchema),
    instructions: maybe(Type.String()),
    previous_response_id: maybe(name),
    store: maybe(
      Type.Boolean({ description: 'Kept for 30 days for `previous_response_id`; true by default.' }),
    ),
    tools: maybe(toolList),
    tool_choice: maybe(toolChoice),
    parallel_tool_calls: maybe(Type.Boolean()),
    max_output_tokens: maybe(count),
    max_tool_calls: maybe(count),
    reasoning: maybe(reasoning),
    text: maybe(text),
    temperature: maybe(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: maybe(Type.Number({ minimum: 0, maximum: 1 })),
    include: maybe(Type.Array(Type.String())),
    metadata: maybe(Type.Record(Type.String(), Type.String())),
    prompt_cache_key: maybe(Type.String()),
    prompt_cache_options: Type.Optional(lenient(anyObject)),
    safety_identifier: maybe(Type.String()),
    user: maybe(Type.String()),
    service_tier: maybe(Type.String()),
    truncation: maybe(words('auto', 'disabled')),
    stream: maybe(Type.Boolean()),
    stream_options: maybe(anyObject),
    ...ownFields,
    ...unsupported,
  },
  { ...open, title: 'ResponsesRequest' },
);
/** The same body joined with the conversation it continues, so `input` is present. */
export const joinedRequestSchema = Type.Object(
  { ...responsesRequestSchema.properties, input: inputSchema },
  open,
);

/** A body of the format, and its parts. */
export type ResponsesBody = Static<typeof responsesRequestSchema>;
export type ResponsesJoined = Static<typeof joinedRequestSchema>;
export type ResponsesNamedChoice = Static<typeof namedChoice>;
export type ResponsesToolChoice = Static<typeof toolChoice>;
export type ResponsesReasoning = Static<typeof reasoning>;
export type ResponsesText = Static<typeof text>;
export type ResponsesTextFormat = Static<typeof textFormat>;
