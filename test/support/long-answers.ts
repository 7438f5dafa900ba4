import assert from 'node:assert/strict';
import { type JsonObject, formatSse } from '#base';
import { type AnswerEvent, createAnswer, createAnswerEvents } from './upstream-answers.ts';
import type { Truth } from './upstream-exchange.ts';
import type { Reply } from './upstream-replies.ts';

/** The formats of clients that ask for long answers, and of the providers that give them. */
export const FORMATS = ['chat', 'messages', 'responses', 'gemini'] as const;
export type Format = (typeof FORMATS)[number];

/** A request for a long answer: its path and body. */
export interface LongAsk {
  path: string;
  body: JsonObject;
}

interface AskOptions {
  stream?: boolean;
  limit?: number;
  model?: string;
}

export function askLong(
  format: Format,
  { stream = true, limit = 64_000, model = `m-${format}` }: AskOptions = {},
): LongAsk {
  const messages = [{ role: 'user', content: 'write a book' }];
  switch (format) {
    case 'chat':
      return { path: '/v1/chat/completions', body: { model, stream, max_tokens: limit, messages } };
    case 'messages':
      return { path: '/v1/messages', body: { model, stream, max_tokens: limit, messages } };
    case 'responses':
      return {
        path: '/v1/responses',
        body: { model, stream, max_output_tokens: limit, input: 'write a book' },
      };
    case 'gemini':
      return {
        path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
        body: {
          contents: [{ role: 'user', parts: [{ text: 'write a book' }] }],
          generationConfig: { maxOutputTokens: limit },
        },
      };
  }
}

/** Where each format says which limit ended an answer. */
export const SAYS_WHY: Record<Format, RegExp> = {
  chat: /"limited_by":"credits_exhausted"/,
  messages: /"stop_details":\{"type":"budget","code":"credits_exhausted","message":"/,
  responses:
    /"incomplete_details":\{"reason":"max_output_tokens","limited_by":"credits_exhausted","message":"/,
  gemini: /"finishMessage":"credits_exhausted: /,
};

/** The ends of answers in each format, complete and at the limit of their output. */
const ENDS: [complete: string, cut: string][] = [
  ['"finish_reason":"stop"', '"finish_reason":"length"'],
  ['"stop_reason":"end_turn"', '"stop_reason":"max_tokens"'],
  ['"parallel_tool_calls":true,"status":"completed"', '"parallel_tool_calls":true,"status":"incomplete"'],
  ['"incomplete_details":null', '"incomplete_details":{"reason":"max_output_tokens"}'],
  ['"finishReason":"STOP"', '"finishReason":"MAX_TOKENS"'],
];

function cut(text: string): string {
  return ENDS.reduce((rest, [complete, short]) => rest.replace(complete, short), text);
}

/** The output limit that the provider was sent; NaN if it was sent none. */
export function limitOf({ body }: Pick<Truth, 'body'>): number {
  const settings = body['generationConfig'] as JsonObject | undefined;
  const { max_tokens, max_completion_tokens, max_output_tokens } = body;
  return Number(max_tokens ?? max_completion_tokens ?? max_output_tokens ?? settings?.['maxOutputTokens']);
}

/** An answer of this many tokens, each a word, that stops at the limit it was sent; it reports what it used. */
export function words(count: number): Reply {
  return async (exchange) => {
    const { truth } = exchange;
    const limit = limitOf(truth);
    const length = count > limit ? limit : count;
    const plan = { text: 'word '.repeat(length), chunks: length };
    const end = count > limit ? cut : (text: string) => text;
    if (!truth.stream) {
      const whole = JSON.stringify(createAnswer(plan, truth).body);
      const text = end(whole);
      assert.equal(text === whole, count <= limit);
      await exchange.sendHead(200, { 'content-type': 'application/json' });
      await exchange.end(text);
      return;
    }
    await exchange.sendHead(200, { 'content-type': 'text/event-stream' });
    const events = createAnswerEvents(plan, truth).map((event) => endEvent(event, end));
    await exchange.end(events.map(formatSse).join(''));
  };
}

function endEvent({ event, data, tokens }: AnswerEvent, end: (text: string) => string): AnswerEvent {
  const text = end(data);
  // Only the last event of Responses has another name: those before it repeat the head of an open response.
  if (event === undefined || !event.startsWith('response.'))
    return { ...(event && { event }), data: text, tokens };
  if (event !== 'response.completed' || text === data) return { event, data, tokens };
  return {
    event: 'response.incomplete',
    data: text.replace('response.completed', 'response.incomplete'),
    tokens,
  };
}
