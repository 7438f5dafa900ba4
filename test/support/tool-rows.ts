import type { JsonObject } from '#base';
import type { ToolAnswer } from './tool-answers.ts';

export const CODEX = 'gpt-5.3-codex';
const CLAUDE = 'claude-sonnet-4-5';
/** Long enough for the tokens that answers report. */
const TEXT = 'what is new? '.repeat(100);

export const responses = (tools: JsonObject[], more: JsonObject = {}): Asked => ({
  path: '/v1/responses',
  body: { model: CODEX, input: TEXT, max_output_tokens: 200, tools, ...more },
});
export const messages = (tools: JsonObject[], more: JsonObject = {}): Asked => ({
  path: '/v1/messages',
  body: { model: CLAUDE, max_tokens: 200, messages: [{ role: 'user', content: TEXT }], tools, ...more },
});
export const gemini = (model: string, tool: string): Asked => ({
  path: `/v1beta/models/${model}:generateContent`,
  streamPath: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
  body: {
    contents: [{ role: 'user', parts: [{ text: TEXT }] }],
    generationConfig: { maxOutputTokens: 200 },
    tools: [{ [tool]: {} }],
  },
});
export const chat = (model: string, more: JsonObject = {}): Asked => ({
  path: '/v1/chat/completions',
  body: { model, max_completion_tokens: 200, messages: [{ role: 'user', content: TEXT }], ...more },
});

export interface Asked {
  path: string;
  streamPath?: string;
  body: JsonObject;
}

/** One row of the table: what is requested, sent on, held and charged. Amounts are worked out by hand, in USD. */
export interface ToolRow {
  asked: Asked;
  /** Objects at the provider that the caller created. */
  made?: string[];
  answer: ToolAnswer;
  /** Members of the body sent to the provider. */
  forwarded: JsonObject;
  /** The cost of 1,000 tokens in and 100 out, without tools. */
  tokens: string;
  tools: string;
  /** The maximum cost of tokens and tools; `perToken` if the prompt is bounded by its bytes. */
  holdTokens: string | { perToken: string; output: string; frame: number };
  holdTools: string;
  units: { unit: string; kind: string; count: number }[];
}

/**
 * 1,000 × 1.75 + 100 × 14 per million, or 1,000 × 3 + 100 × 15; and a context of 400,000 at 1.75, or of 200,000 at 6 (written
 * to the cache for an hour), with 200 tokens of output.
 */
export const OF_CODEX = { tokens: '0.00315', holdTokens: '0.7028' };
export const OF_CLAUDE = { tokens: '0.0045', holdTokens: '0.753' };

export const search = (id: string) => ({
  type: 'web_search_call',
  id,
  status: 'completed',
  action: { type: 'search' },
});
export const opened = { ...search('ws_9'), action: { type: 'open_page', url: 'https://example.com' } };
export const image = (quality: string, size: string) => ({
  type: 'image_generation_call',
  id: `ig_${size}`,
  status: 'completed',
  result: 'iVBORw0KGgo=',
  quality,
  size,
});
export const code = (id: string, container: string) => ({
  type: 'code_interpreter_call',
  id,
  status: 'completed',
  container_id: container,
  code: '1',
  outputs: [],
});
export const unit = (kind: string, count: number) => ({ unit: 'tool', kind, count });
export const grounded = (queries: string[], chunk: JsonObject = {}) => ({
  webSearchQueries: queries,
  groundingChunks: [chunk],
});
export const web = { web: { uri: 'https://example.com', title: 'page' } };
export const map = { maps: { uri: 'https://maps.example.com', title: 'place' } };
