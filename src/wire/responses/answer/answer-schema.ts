import { Type } from 'typebox';
import { nullable, open, words } from '../../body/schema-parts.ts';
import type { Members } from '../../body/unchecked.ts';

const usage = Type.Object(
  {
    input_tokens: Type.Integer(),
    input_tokens_details: Type.Object(
      {
        cached_tokens: Type.Integer(),
        cache_write_tokens: Type.Integer(),
        cache_write_tokens_details: Type.Optional(
          Type.Object({ ttl_30m_tokens: Type.Integer(), ttl_12h_tokens: Type.Integer() }),
        ),
      },
      open,
    ),
    output_tokens: Type.Integer(),
    output_tokens_details: Type.Object({
      reasoning_tokens: Type.Integer(),
      image_tokens: Type.Optional(Type.Integer()),
    }),
    total_tokens: Type.Integer(),
    cost: Type.Optional(Type.Number({ description: 'What this answer cost, in USD.' })),
  },
  open,
);

/** The JSON answer of `POST /v1/responses` and `GET /v1/responses/{id}`. */
export const responseSchema = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('response'),
    created_at: Type.Integer(),
    status: words('completed', 'incomplete'),
    error: Type.Null(),
    incomplete_details: nullable(
      Type.Object({
        reason: words('max_output_tokens', 'content_filter'),
        limited_by: Type.Optional(
          Type.String({ description: 'The limit of the caller that ended the answer.' }),
        ),
        message: Type.Optional(Type.String()),
      }),
    ),
    model: Type.String(),
    output: Type.Array(Type.Object({ id: Type.String(), type: Type.String() }, open)),
    usage: nullable(usage),
    previous_response_id: nullable(Type.String()),
    metadata: Type.Record(Type.String(), Type.String(), { description: 'The request’s own.' }),
  },
  { ...open, title: 'ResponsesResponse' },
);

// What upstreams send is read as these types, of which every member may be absent or of another kind.

interface UpstreamAnnotation {
  type: string;
  url: string;
  title: string;
  start_index: number;
  end_index: number;
}
interface UpstreamPart {
  type: string;
  text: string;
  refusal: string;
  annotations: UpstreamAnnotation[];
  logprobs: object[];
}
interface UpstreamItem {
  id: string;
  type: string;
  status: string;
  role: string;
  phase: string;
  content: UpstreamPart[];
  summary: UpstreamPart[];
  encrypted_content: string;
  call_id: string;
  name: string;
  namespace: string;
  arguments: string;
  input: string;
  result: string;
  output_format: string;
}
interface UpstreamUsage {
  input_tokens: number;
  input_tokens_details: {
    cached_tokens: number;
    cache_write_tokens: number;
    cache_write_tokens_details: { ttl_30m_tokens: number; ttl_12h_tokens: number };
    image_tokens: number;
  };
  output_tokens: number;
  output_tokens_details: { reasoning_tokens: number; image_tokens: number };
  total_tokens: number;
  cost: number;
  server_side_tool_usage_details: {
    web_search_calls: number;
    code_interpreter_calls: number;
    file_search_calls: number;
    image_generation_calls: number;
    mcp_calls: number;
    x_posts_fetched: number;
    x_users_fetched: number;
    x_search_calls: number;
  };
}
interface UpstreamAnswer {
  id: string;
  object: string;
  created_at: number;
  model: string;
  status: string;
  error: object;
  incomplete_details: { reason: string; limited_by: string; message: string };
  output: UpstreamItem[];
  usage: UpstreamUsage;
  tool_usage: { web_search: { num_requests: number }; image_gen: UpstreamUsage };
  service_tier: string;
}
interface UpstreamEvent {
  type: string;
  sequence_number: number;
  response: UpstreamAnswer;
  item: UpstreamItem;
  item_id: string;
  output_index: number;
  content_index: number;
  summary_index: number;
  annotation_index: number;
  logprobs: object[];
  part: UpstreamPart;
  annotation: UpstreamAnnotation;
  delta: string;
  text: string;
  refusal: string;
  arguments: string;
  input: string;
  error: object | string;
  message: string;
  code: string;
  param: string;
}

/** The events that are read; others are relayed. */
export type ResponsesEventType =
  | 'error'
  | `response.${'created' | 'in_progress' | 'queued' | 'completed' | 'incomplete' | 'failed' | 'cancelled'}`
  | `response.output_item.${'added' | 'done'}`
  | `response.${TextEvent}.${'delta' | 'done'}`
  | 'response.output_text.annotation.added'
  | `response.${'content_part' | 'reasoning_summary_part'}.done`;
type TextEvent =
  | 'output_text'
  | 'refusal'
  | 'reasoning_summary_text'
  | 'reasoning_text'
  | 'function_call_arguments'
  | 'custom_tool_call_input';

/** The items that are decoded; others are kept as they are. */
export type ResponsesItemType =
  | 'message'
  | 'reasoning'
  | 'function_call'
  | 'custom_tool_call'
  | 'image_generation_call';

export type AnswerAnnotation = Members<UpstreamAnnotation>;
export type AnswerPart = Members<UpstreamPart>;
/** An item of an answer, read or written. */
export type AnswerItem = Members<UpstreamItem>;
export type AnswerUsage = Members<UpstreamUsage>;
export type ReadAnswer = Members<UpstreamAnswer>;
export type ReadEvent = Members<UpstreamEvent>;
