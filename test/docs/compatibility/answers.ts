import { type JsonObject, type SseMessage } from '#base';
import type { FormatId } from '#canonical';
import type { Truth } from '../../support/upstream-exchange.ts';
import { type AnswerPlan, createAnswer, createAnswerEvents } from '../../support/upstream-answers.ts';
import { createConverseAnswer, createConverseEvents } from './converse-answers.ts';

/** What an answer holds, whatever format it is said in. */
export interface Said extends Pick<AnswerPlan, 'text' | 'reasoning' | 'toolCalls'> {
  /** Of 100 input tokens, how many came from the provider's cache. */
  cached?: number;
}

/** An answer of a provider, whole and as a stream. */
interface Answer {
  body: JsonObject;
  messages: SseMessage[];
}

/** Usage of 100 input tokens in the words of each format. */
const USAGES: Record<FormatId, (cached: number) => JsonObject> = {
  messages: (cached) => ({
    input_tokens: 100 - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: 5,
  }),
  chat: (cached) => ({
    prompt_tokens: 100,
    completion_tokens: 5,
    total_tokens: 105,
    prompt_tokens_details: { cached_tokens: cached },
  }),
  responses: (cached) => ({
    input_tokens: 100,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 105,
  }),
  gemini: (cached) => ({
    promptTokenCount: 100,
    cachedContentTokenCount: cached,
    candidatesTokenCount: 5,
    totalTokenCount: 105,
  }),
  converse: (cached) => ({
    inputTokens: 100 - cached,
    cacheReadInputTokens: cached,
    outputTokens: 5,
    totalTokens: 105,
  }),
};

/** An answer as a provider of the format gives it. */
export function createProviderAnswer(format: FormatId, { cached = 0, ...said }: Said): Answer {
  const usage = USAGES[format](cached);
  if (format === 'converse')
    return { body: createConverseAnswer(said, usage), messages: createConverseEvents(said, usage) };
  const body = { model: 'upstream-model', stream_options: { include_usage: true } };
  const truth = { number: 0, format, body, inputTokens: 100 } as unknown as Truth;
  const plan = { ...said, usage };
  const messages = createAnswerEvents(plan, truth).map(({ event, data }) =>
    event === undefined ? { data } : { event, data },
  );
  return { body: createAnswer(plan, truth).body, messages };
}

/** The same refusal in the words of each format, with the status 429. */
export const REFUSALS: Record<FormatId, (message: string) => JsonObject> = {
  messages: (message) => ({ type: 'error', error: { type: 'rate_limit_error', message } }),
  chat: (message) => ({ error: { message, type: 'rate_limit_error', param: null, code: 'rate_limited' } }),
  responses: (message) => ({
    error: { message, type: 'rate_limit_error', param: null, code: 'rate_limited' },
  }),
  gemini: (message) => ({ error: { code: 429, message, status: 'RESOURCE_EXHAUSTED' } }),
  converse: (message) => ({ __type: 'ThrottlingException', message }),
};
