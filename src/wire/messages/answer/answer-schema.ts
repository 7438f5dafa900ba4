import { type Static, Type } from 'typebox';
import { maybe, open } from '../../body/schema-parts.ts';
import { type MessagesBlock, type MessagesCitation, answerBlock } from '../block-schema.ts';

const count = Type.Integer({ minimum: 0 });

const counts = {
  input_tokens: Type.Integer({
    minimum: 0,
    description: 'Tokens that were neither read from nor written to a cache.',
  }),
  output_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  cache_creation: Type.Object({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count }),
  output_tokens_details: maybe(Type.Object({ thinking_tokens: Type.Optional(count) }, open)),
  server_tool_use: maybe(Type.Object({ web_search_requests: Type.Optional(count) }, open)),
};
const iteration = Type.Object(
  { type: Type.String(), model: Type.Optional(Type.String()), ...counts },
  { ...open, description: 'One turn of an answer that took several.' },
);
const usage = Type.Object(
  {
    ...counts,
    iterations: maybe(Type.Array(iteration)),
    service_tier: maybe(Type.String()),
    speed: maybe(Type.String()),
    inference_geo: maybe(Type.String()),
  },
  open,
);

const stopDetails = Type.Object(
  { type: Type.String(), code: Type.Optional(Type.String()), message: Type.Optional(Type.String()) },
  { ...open, description: 'With the type budget: the limit of the caller that ended the answer.' },
);

/** A Message: the answer of `POST /v1/messages`. */
export const messagesResponseSchema = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal('message'),
    role: Type.Literal('assistant'),
    model: Type.String(),
    content: Type.Array(answerBlock),
    stop_reason: Type.String(),
    stop_sequence: Type.Union([Type.String(), Type.Null()]),
    stop_details: maybe(stopDetails),
    usage,
    container: maybe(Type.Object({ id: Type.String(), expires_at: Type.String() }, open)),
  },
  { ...open, title: 'MessagesResponse' },
);

const error = Type.Object(
  {
    type: Type.String(),
    message: Type.String(),
    details: Type.Optional(Type.Object({ error_code: Type.Optional(Type.String()) }, open)),
  },
  open,
);

/** The stop reasons that are decoded; any other is carried. */
export type MessagesStopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded';

/** The error of the Messages endpoints. */
export const messagesErrorSchema = Type.Object(
  {
    type: Type.Literal('error'),
    error,
    request_id: Type.Optional(Type.String()),
  },
  { title: 'MessagesError' },
);

export type MessagesAnswer = Static<typeof messagesResponseSchema>;
export type MessagesUsage = Static<typeof usage>;
export type MessagesIteration = Static<typeof iteration>;

/** An upstream's error; compatible servers have other members than Anthropic. */
export interface UpstreamError extends Static<typeof error> {
  code: string;
  detail: string;
  param: string;
}

/** The body of an error response or `error` event; some servers send the error alone, or as text. */
export interface UpstreamErrorBody extends UpstreamError {
  error: UpstreamError;
}

/** The events that are read; others are passed on. */
export type MessagesEventType =
  | 'message_start'
  | 'content_block_start'
  | 'content_block_delta'
  | 'content_block_stop'
  | 'message_delta'
  | 'message_stop'
  | 'error'
  | 'ping';

export type MessagesDeltaType =
  | 'text_delta'
  | 'thinking_delta'
  | 'signature_delta'
  | 'input_json_delta'
  | 'citations_delta';

/** A server-sent event of an answer; each type has some of these members. */
export interface MessagesEvent {
  type: string;
  index: number;
  message: MessagesAnswer;
  content_block: MessagesBlock;
  delta: MessagesDelta;
  usage: MessagesUsage;
  context_management: object;
  input_transformations: object;
  error: UpstreamError;
}

/** What an event adds to a block, or to the message as a whole. */
export interface MessagesDelta {
  type: string;
  text: string;
  thinking: string;
  signature: string;
  partial_json: string;
  citation: MessagesCitation;
  stop_reason: string;
  stop_sequence: string;
}
