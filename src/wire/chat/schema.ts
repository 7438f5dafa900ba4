import { type Static, Type } from 'typebox';
import type { JsonValue } from '#base';
import { type SchemaFault, lenient, lenientObject, noted } from '../body/schema-notes.ts';
import { callArguments, contentOf, textContentOf } from '../body/openai-schema.ts';
import { reasoningFields } from './reasoning-schema.ts';
import { type ChatPart, cacheMarks, part, refusalPart, text, textPart } from './part-schema.ts';
import { anyObject, maybe, nullable, open, turnCount, words } from '../body/schema-parts.ts';

// The single schema of the format: for the OpenAPI document, the check of bodies (check-request.ts) and the types of what
// is read and written.

const customCalled = Type.Object({ name: text, input: Type.String() });
const functionCalled = Type.Object({ name: text, arguments: maybe(callArguments) });
/** A call as clients replay it, with the members that answers add. */
const replayed = {
  extra_content: Type.Optional(
    lenient(
      Type.Object(
        { google: Type.Optional(Type.Object({ thought_signature: Type.Optional(Type.String()) }, open)) },
        { ...open, description: 'What a provider sent with the call, such as Google’s signature of it.' },
      ),
    ),
  ),
  ...cacheMarks,
};
/** Any but `custom`. */
const anyType = noted(Type.Literal('function'), { lenient: 'entirely' });
const replayedCall = noted(
  Type.Union([
    Type.Object({ id: text, type: anyType, function: functionCalled, ...replayed }, open),
    Type.Object({ id: text, type: Type.Literal('custom'), custom: customCalled, ...replayed }, open),
  ]),
  { select: ({ type }) => (type === 'custom' ? 1 : 0) },
);
/** An entry of `reasoning_details`, as answers send it and clients replay it. */
export const replayedReasoning = Type.Object(
  {
    type: Type.Optional(Type.String()),
    text: Type.Optional(Type.String()),
    summary: Type.Optional(Type.String()),
    data: Type.Optional(Type.String()),
    signature: maybe(Type.String()),
    format: maybe(Type.String()),
    index: Type.Optional(Type.Integer()),
  },
  open,
);
const replayedImage = Type.Object(
  { image_url: Type.Union([Type.Object({ url: Type.String() }, open), Type.String()]) },
  open,
);

const content = contentOf(part);
const userContent = contentOf(part, { minItems: 1 });
const textOnly = noted(Type.Union(part.anyOf), { rule: refuseMedia });
const textContent = textContentOf(Type.Union([textPart, refusalPart]), textOnly);

function refuseMedia(value: JsonValue): SchemaFault | undefined {
  const { type } = value as ChatPart;
  return type === 'text' || type === 'refusal'
    ? undefined
    : { steps: ['type'], complaint: 'must be text here' };
}

const message = Type.Union([
  Type.Object({ role: words('developer', 'system'), content: textContent, ...cacheMarks }, open),
  Type.Object(
    {
      role: Type.Literal('user'),
      content: userContent,
      name: Type.Optional(lenient(Type.String())),
      ...cacheMarks,
    },
    open,
  ),
  Type.Object(
    {
      role: Type.Literal('assistant'),
      content: maybe(content),
      refusal: Type.Optional(lenient(nullable(Type.String()))),
      name: Type.Optional(lenient(Type.String())),
      audio: Type.Optional(lenient(nullable(anyObject))),
      reasoning_content: Type.Optional(lenient(nullable(Type.String()))),
      reasoning: Type.Optional(lenient(nullable(Type.String()))),
      reasoning_details: Type.Optional(lenient(Type.Array(replayedReasoning))),
      images: Type.Optional(lenient(Type.Array(replayedImage))),
      tool_calls: maybe(Type.Array(replayedCall)),
      function_call: Type.Optional(lenientObject(nullable(functionCalled))),
      ...cacheMarks,
    },
    open,
  ),
  Type.Object(
    { role: Type.Literal('tool'), tool_call_id: text, content: maybe(content), ...cacheMarks },
    open,
  ),
  Type.Object(
    { role: Type.Literal('function'), name: text, content: maybe(content), ...cacheMarks },
    { ...open, deprecated: true, description: 'The answer to a `function_call`.' },
  ),
]);

const functionShape = Type.Object({
  name: text,
  description: maybe(Type.String()),
  parameters: maybe(anyObject),
  strict: maybe(Type.Boolean()),
});
const functionTool = Type.Object(
  { type: Type.Literal('function'), function: functionShape, ...cacheMarks },
  { ...open, title: 'ChatFunctionTool' },
);
const customFormat = Type.Object({
  type: Type.String({ description: '`text` or `grammar`.' }),
  grammar: Type.Optional(Type.Object({ syntax: Type.String(), definition: Type.String() }, open)),
});
const customShape = Type.Object(
  {
    name: text,
    description: Type.Optional(lenient(Type.String())),
    format: Type.Optional(lenient(customFormat)),
  },
  open,
);
const customTool = Type.Object(
  {
    type: Type.Literal('custom'),
    custom: customShape,
    ...cacheMarks,
  },
  { ...open, title: 'ChatCustomTool' },
);
const tool = noted(Type.Union([functionTool, customTool]), { unknown: 'must be function or custom' });
const allowedTools = Type.Object(
  {
    mode: Type.Optional(lenient(Type.String())),
    tools: Type.Optional(
      lenient(
        Type.Array(
          Type.Object(
            {
              type: Type.Optional(Type.String()),
              function: Type.Optional(Type.Object({ name: Type.String() }, open)),
            },
            open,
          ),
        ),
      ),
    ),
  },
  open,
);
const chosenTool = Type.Object({ name: text });
const LEGACY_CHOICE = { deprecated: true, description: 'In place of `tool_choice`.' };
const CHOICE = 'must be none, auto, required or an object that names a tool';
const toolChoice = noted(
  Type.Union([
    words('none', 'auto', 'required'),
    Type.Object({ type: Type.Literal('function'), function: chosenTool }),
    Type.Object({ type: Type.Literal('custom'), custom: chosenTool }),
    Type.Object({ type: Type.Literal('allowed_tools'), allowed_tools: allowedTools }),
  ]),
  { complaint: CHOICE },
);
const jsonSchema = Type.Object({
  name: text,
  description: maybe(Type.String()),
  schema: maybe(anyObject),
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
const streamOptions = Type.Object({ include_usage: maybe(Type.Boolean()) }, open);
const usageOptions = Type.Object(
  { include: Type.Optional(Type.Boolean()) },
  { ...open, description: '`include` is `include_usage` of `stream_options`, as at OpenRouter.' },
);
const number = (minimum: number, maximum: number) => maybe(Type.Number({ minimum, maximum }));
const count = (minimum: number, maximum: number) => maybe(Type.Integer({ minimum, maximum }));

const object = () => maybe(noted(Type.Object({}, open), { complaint: 'expected an object' }));

/** Fields outside the neutral model, which are sent as they are. */
const ownFields = {
  audio: object(),
  logit_bias: object(),
  logprobs: maybe(Type.Boolean()),
  modalities: Type.Optional(lenient(nullable(Type.Array(Type.String())))),
  moderation: Type.Optional(lenient(nullable(anyObject))),
  prediction: object(),
  prompt_cache_options: Type.Optional(lenient(nullable(anyObject))),
  prompt_cache_retention: Type.Optional(lenient(nullable(Type.String()))),
  store: maybe(Type.Boolean()),
  top_logprobs: count(0, 20),
  verbosity: Type.Optional(lenient(nullable(Type.String()))),
  web_search_options: Type.Optional(lenient(nullable(anyObject))),
};

export const OWN_FIELDS = Object.keys(ownFields) as (keyof typeof ownFields)[];

/** The body of `POST /v1/chat/completions`. */
export const chatRequestSchema = Type.Object(
  {
    model: text,
    messages: Type.Array(message, turnCount),
    max_completion_tokens: count(1, 1_000_000_000),
    max_tokens: count(1, 1_000_000_000),
    temperature: number(0, 2),
    top_p: number(0, 1),
    top_k: count(0, 1_000_000),
    frequency_penalty: number(-2, 2),
    presence_penalty: number(-2, 2),
    seed: maybe(Type.Integer()),
    n: count(1, 128),
    stop: maybe(
      noted(Type.Union([Type.String(), Type.Array(Type.String())]), {
        complaint: 'expected a string or an array of strings',
      }),
    ),
    stream: maybe(Type.Boolean()),
    stream_options: maybe(streamOptions),
    usage: Type.Optional(lenient(usageOptions)),
    tools: maybe(Type.Array(tool, { maxItems: 10_000 })),
    tool_choice: maybe(toolChoice),
    functions: maybe(
      Type.Array(functionShape, { maxItems: 10_000, deprecated: true, description: 'In place of `tools`.' }),
    ),
    function_call: maybe(
      noted(Type.Union([words('none', 'auto', 'required'), chosenTool], LEGACY_CHOICE), {
        complaint: CHOICE,
      }),
    ),
    parallel_tool_calls: maybe(Type.Boolean()),
    response_format: maybe(responseFormat),
    ...reasoningFields,
    user: maybe(Type.String()),
    safety_identifier: maybe(Type.String()),
    service_tier: maybe(Type.String()),
    metadata: maybe(noted(Type.Record(Type.String(), Type.String()), { complaint: 'expected an object' })),
    prompt_cache_key: Type.Optional(lenient(nullable(Type.String()))),
    ...ownFields,
  },
  { ...open, title: 'ChatRequest' },
);

/** A body of the format, and its parts. */
export type ChatBody = Static<typeof chatRequestSchema>;
export type ChatMessage = Static<typeof message>;
export type ChatContent = Static<typeof content>;
export type ChatToolCall = Static<typeof replayedCall>;
export type ChatTool = Static<typeof tool>;
export type ChatFunctionCalled = Static<typeof functionCalled>;
export type ChatToolChoice = Static<typeof toolChoice>;
export type ChatCustomCalled = Static<typeof customCalled>;
export type ChatCustom = Static<typeof customShape>;
export type ChatFunction = Static<typeof functionShape>;
export type ChatCustomFormat = Static<typeof customFormat>;
export type ChatJsonSchema = Static<typeof jsonSchema>;
export type ChatResponseFormat = Static<typeof responseFormat>;
export type ChatReasoningDetail = Static<typeof replayedReasoning>;
export type ChatImage = Static<typeof replayedImage>;
