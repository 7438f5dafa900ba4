import { type Static, Type } from 'typebox';
import type { JsonValue } from '#base';
import { cacheControl, content, marked, systemContent } from './block-schema.ts';
import { type SchemaFault, lenient, noted } from '../body/schema-notes.ts';
import { anyObject, carried, maybe, nullable, open, turnCount, words } from '../body/schema-parts.ts';

// The only description of the format: for the OpenAPI document, the check of bodies (check-request.ts) and the types of
// what is read and written.

const message = Type.Object(
  {
    role: noted(words('user', 'assistant', 'system'), {
      complaint: "must be 'user', 'assistant' or 'system'",
    }),
    content,
    clear_at: carried,
    output_config: carried,
  },
  { title: 'MessagesMessage' },
);

const toolFields = {
  defer_loading: maybe(Type.Boolean({ description: 'Load on demand through tool search.' })),
  input_examples: carried,
  allowed_callers: carried,
  eager_input_streaming: carried,
  ...marked,
};
const functionTool = Type.Object(
  {
    name: Type.String(),
    type: maybe(Type.Literal('custom')),
    description: maybe(Type.String()),
    input_schema: anyObject,
    strict: maybe(Type.Boolean()),
    ...toolFields,
  },
  { ...open, title: 'MessagesFunctionTool' },
);
const nativeTool = Type.Object(
  {
    name: maybe(Type.String({ description: 'Required but for toolsets.' })),
    type: Type.String(),
    strict: Type.Optional(lenient(Type.Boolean())),
    ...toolFields,
  },
  { ...open, title: 'MessagesNativeTool' },
);
const tool = noted(Type.Union([functionTool, nativeTool]), {
  select: ({ type }) => (type === undefined || type === null || type === 'custom' ? 0 : 1),
  rule: refuseMarkedDeferral,
});

function refuseMarkedDeferral(value: JsonValue): SchemaFault | undefined {
  const { defer_loading: isDeferred, cache_control: mark } = value as MessagesTool;
  if (!isDeferred || !mark) return undefined;
  return { steps: [], complaint: 'a tool cannot carry both defer_loading and cache_control' };
}

function refuseOnlyDeferred(value: JsonValue): SchemaFault | undefined {
  const tools = value as MessagesTool[];
  if (tools.length === 0 || tools.some((one) => !one.defer_loading)) return undefined;
  return {
    steps: [],
    complaint: 'at least one tool must not be deferred (normally the tool search tool)',
  };
}

const count = noted(Type.Integer({ minimum: 0 }), {
  complaint: 'must be an integer that is not negative',
});
const number = noted(Type.Number(), { complaint: 'must be a finite number' });

const display = maybe(Type.String());
const budgetThinking = Type.Object(
  { type: Type.Literal('enabled'), budget_tokens: count, display, block_binding: carried },
  open,
);
const otherThinking = Type.Object(
  {
    type: Type.String({ description: '`adaptive`, `disabled` or `between_tools`.' }),
    display,
    block_binding: carried,
  },
  open,
);
const thinking = Type.Union([budgetThinking, otherThinking]);

const disable_parallel_tool_use = maybe(Type.Boolean());
const namedChoice = Type.Object(
  { type: Type.Literal('tool'), name: Type.String(), disable_parallel_tool_use },
  open,
);
const otherChoice = Type.Object(
  { type: Type.String({ description: '`auto`, `any` or `none`.' }), disable_parallel_tool_use },
  open,
);
const toolChoice = Type.Union([namedChoice, otherChoice]);

const schemaFormat = Type.Object({ type: Type.Literal('json_schema'), schema: anyObject }, open);
const outputFormat = Type.Union([schemaFormat, Type.Object({ type: Type.String() }, open)]);
const outputConfig = Type.Object(
  { effort: maybe(Type.String()), format: maybe(outputFormat), task_budget: carried },
  open,
);

/** Fields that no other format has. */
const ownFields = {
  cache_control: Type.Optional(lenient(nullable(cacheControl))),
  metadata: maybe(Type.Object({ user_id: Type.Optional(lenient(nullable(Type.String()))) })),
  service_tier: maybe(Type.String()),
  container: carried,
  speed: Type.Optional(lenient(Type.String())),
  inference_geo: Type.Optional(lenient(Type.String())),
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
    max_tokens: count,
    messages: noted(Type.Array(message, { ...turnCount, minItems: 0 }), {
      tooMany: (most, given) => `at most ${most} messages are allowed, not ${given}`,
    }),
    system: maybe(systemContent),
    tools: maybe(
      noted(Type.Array(tool, { maxItems: 10_000 }), {
        tooMany: (most, given) => `at most ${most} tools are allowed, not ${given}`,
        rule: refuseOnlyDeferred,
      }),
    ),
    tool_choice: maybe(toolChoice),
    thinking: maybe(thinking),
    output_config: maybe(outputConfig),
    output_format: maybe(outputFormat),
    stop_sequences: maybe(Type.Array(Type.String())),
    stream: maybe(Type.Boolean()),
    temperature: maybe(number),
    top_p: maybe(number),
    top_k: maybe(count),
    ...ownFields,
  },
  {
    title: 'MessagesRequest',
    additionalProperties: true,
    description: 'A request in the Messages format. Unknown parameters are ignored.',
  },
);

/** Names of fields that no other format has. */
export const MESSAGES_ONLY_FIELDS = Object.keys(ownFields) as readonly (keyof typeof ownFields)[];

/** The same body for counting its tokens: nothing is generated. */
export const countRequestSchema = Type.Object(
  { ...messagesRequestSchema.properties, max_tokens: Type.Optional(count) },
  open,
);

export type MessagesBody = Static<typeof messagesRequestSchema>;
/** A body that was checked. */
export type MessagesCountBody = Static<typeof countRequestSchema>;
export type MessagesMessage = Static<typeof message>;
export type MessagesTool = Static<typeof tool>;
export type MessagesFunctionTool = Static<typeof functionTool>;
export type MessagesToolChoice = Static<typeof toolChoice>;
export type MessagesThinking = Static<typeof thinking>;
export type MessagesOutputConfig = Static<typeof outputConfig>;
