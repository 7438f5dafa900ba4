import type { JsonObject } from '#base';
import type { UpstreamExchange } from './upstream-exchange.ts';
import type { Reply } from './upstream-replies.ts';

/** A test provider's report, beside a word of text. */
export interface Reported {
  /** The usage in the provider's own format. */
  usage: JsonObject;
  /** Further members of the answer, such as `service_tier`. */
  extra?: JsonObject;
}

/** Answers in the requested format, as a stream or a whole, with exactly this usage. */
export function report(reported: Reported): Reply {
  return async (exchange) => {
    const { format, stream } = exchange.truth;
    await (stream
      ? sendStream(exchange, STREAMS[format](reported))
      : exchange.sendJson(WHOLES[format](reported)));
  };
}

async function sendStream(
  exchange: UpstreamExchange,
  data: readonly (JsonObject | '[DONE]')[],
): Promise<void> {
  await exchange.sendHead(200, { 'content-type': 'text/event-stream' });
  for (const one of data) {
    const text = one === '[DONE]' ? one : JSON.stringify(one);
    const type = one === '[DONE]' ? undefined : one['type'];
    await exchange.sendBody(`${typeof type === 'string' ? `event: ${type}\n` : ''}data: ${text}\n\n`);
  }
  await exchange.end();
}

type Format = UpstreamExchange['truth']['format'];

const HEAD = { id: 'answer-1', object: 'chat.completion', created: 1, model: 'm' };

const WHOLES: Record<Format, (reported: Reported) => JsonObject> = {
  chat: ({ usage, extra }) => ({
    ...HEAD,
    choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
    usage,
    ...extra,
  }),
  responses: ({ usage, extra }) => toResponse(usage, extra),
  messages: ({ usage, extra }) => ({
    ...MESSAGE,
    content: [{ type: 'text', text: 'Yes.' }],
    stop_reason: 'end_turn',
    usage,
    ...extra,
  }),
  gemini: ({ usage, extra }) => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Yes.' }] }, finishReason: 'STOP' }],
    usageMetadata: usage,
    modelVersion: 'm',
    ...extra,
  }),
};

const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null };
const ITEM = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Yes.', annotations: [] }],
};

function toResponse(usage: JsonObject | null, extra: JsonObject = {}): JsonObject {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'm',
    status: usage ? 'completed' : 'in_progress',
    output: usage ? [ITEM] : [],
    usage,
    ...extra,
  };
}

const STREAMS: Record<Format, (reported: Reported) => (JsonObject | '[DONE]')[]> = {
  chat: ({ usage, extra }) => [
    { ...HEAD, choices: [{ index: 0, delta: { role: 'assistant', content: 'Yes.' } }], ...extra },
    { ...HEAD, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], ...extra },
    { ...HEAD, choices: [], usage, ...extra },
    '[DONE]',
  ],
  responses: ({ usage, extra }) => [
    // The tier at the start is the requested one.
    { type: 'response.created', response: { ...toResponse(null), service_tier: 'auto' } },
    { type: 'response.output_item.added', output_index: 0, item: { ...ITEM, content: [] } },
    {
      type: 'response.output_text.delta',
      output_index: 0,
      content_index: 0,
      item_id: 'msg_1',
      delta: 'Yes.',
    },
    { type: 'response.output_item.done', output_index: 0, item: ITEM },
    { type: 'response.completed', response: toResponse(usage, extra) },
  ],
  messages: ({ usage }) => [
    {
      type: 'message_start',
      message: { ...MESSAGE, content: [], stop_reason: null, usage: { input_tokens: 1, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Yes.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ],
  gemini: ({ usage, extra }) => [
    { candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Yes.' }] } }], modelVersion: 'm' },
    {
      candidates: [{ index: 0, content: { role: 'model', parts: [] }, finishReason: 'STOP' }],
      usageMetadata: usage,
      ...extra,
    },
  ],
};
