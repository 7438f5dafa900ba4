import { type JsonObject, formatSse } from '#base';
import type { Reply } from './upstream-replies.ts';

/** 1,000 tokens in and 100 out, in every format. */
const USAGE = { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 };
const CHAT_USAGE = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };
const GEMINI_USAGE = { promptTokenCount: 1_000, candidatesTokenCount: 100, totalTokenCount: 1_100 };

/** An answer that used hosted tools, as JSON and as events. */
export interface ToolAnswer {
  body: JsonObject;
  events: readonly { event?: string; data: JsonObject | string }[];
}

/** An answer of the Responses format with these items before its text, and members of its own. */
export function answerResponses(
  items: readonly JsonObject[],
  { usage, ...own }: JsonObject & { usage?: JsonObject } = {},
): ToolAnswer {
  const content = [{ type: 'output_text', text: 'found', annotations: [] }];
  const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content };
  const output = [...items, message];
  const head = { id: 'resp_1', object: 'response', model: 'upstream' };
  const body = { ...head, status: 'completed', output, usage: { ...USAGE, ...usage }, ...own };
  const reported = (type: string, data: JsonObject) => ({ event: type, data: { type, ...data } });
  return {
    body,
    events: [
      reported('response.created', { response: { ...head, status: 'in_progress', output: [] } }),
      ...output.flatMap((item, index) => [
        reported('response.output_item.added', {
          output_index: index,
          item: { ...item, status: 'in_progress' },
        }),
        reported('response.output_item.done', { output_index: index, item }),
      ]),
      reported('response.completed', { response: body }),
    ],
  };
}

/** An answer of the Messages format: `own` goes to the message, `counts` to `usage.server_tool_use`. */
export function answerMessages({ counts, own = {} }: { counts?: JsonObject; own?: JsonObject }): ToolAnswer {
  const usage = { input_tokens: 1_000, output_tokens: 100, ...(counts && { server_tool_use: counts }) };
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'upstream' };
  const end = { stop_reason: 'end_turn', stop_sequence: null };
  const reported = (type: string, data: JsonObject) => ({ event: type, data: { type, ...data } });
  return {
    body: { ...head, content: [{ type: 'text', text: 'found' }], ...end, usage, ...own },
    events: [
      reported('message_start', {
        message: { ...head, content: [], usage: { input_tokens: 1_000, output_tokens: 1 } },
      }),
      reported('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      reported('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'found' } }),
      reported('content_block_stop', { index: 0 }),
      reported('message_delta', { delta: { ...end, ...own }, usage }),
      reported('message_stop', {}),
    ],
  };
}

/** An answer of the Gemini format with its grounding. */
export function answerGemini(groundingMetadata: JsonObject): ToolAnswer {
  const candidate = {
    index: 0,
    content: { role: 'model', parts: [{ text: 'found' }] },
    finishReason: 'STOP',
    groundingMetadata,
  };
  const body = {
    responseId: 'r1',
    modelVersion: 'upstream',
    candidates: [candidate],
    usageMetadata: GEMINI_USAGE,
  };
  return { body, events: [{ data: body }] };
}

/** An answer of the Chat format; `own` goes to its usage. */
export function answerChat(own: JsonObject): ToolAnswer {
  const usage = { ...CHAT_USAGE, ...own };
  const head = { id: 'chatcmpl-1', created: 1, model: 'upstream' };
  const message = { role: 'assistant', content: 'found' };
  const chunk = { ...head, object: 'chat.completion.chunk' };
  return {
    body: {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage,
    },
    events: [
      { data: { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] } },
      { data: { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage } },
      { data: '[DONE]' },
    ],
  };
}

/** Gives the answer as it was asked for; `meanwhile` is done before its end. */
export function replyWith({ body, events }: ToolAnswer, meanwhile?: () => void): Reply {
  return async (exchange) => {
    const { stream } = exchange.truth;
    const type = stream ? 'text/event-stream' : 'application/json';
    await exchange.sendHead(200, { 'content-type': type });
    meanwhile?.();
    if (!stream) await exchange.sendBody(JSON.stringify(body));
    for (const { event, data } of stream ? events : []) {
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      await exchange.sendBody(formatSse({ ...(event !== undefined && { event }), data: text }));
    }
    await exchange.end();
  };
}
