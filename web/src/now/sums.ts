import type { AnswerOf } from '../api/client.ts';

export type UsageLine = AnswerOf<'/admin/v1/usage', 'get'>['data'][number];
export type LatencyLine = AnswerOf<'/admin/v1/latency', 'get'>['data'][number];

type Tokens = UsageLine['tokens'];

const sumOf = (tokens: Tokens, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (tokens[name] ?? 0), 0);

export const cachedOf = (tokens: Tokens): number => sumOf(tokens, ['inputCacheRead']);
export const writtenOf = (tokens: Tokens): number =>
  sumOf(tokens, ['inputCacheWrite5m', 'inputCacheWrite1h']);
export const freshOf = (tokens: Tokens): number =>
  sumOf(tokens, ['inputUncached', 'inputAudio', 'inputImage']);
export const reasoningOf = (tokens: Tokens): number => sumOf(tokens, ['outputReasoning']);
export const answeredOf = (tokens: Tokens): number =>
  sumOf(tokens, ['outputText', 'outputAudio', 'outputImage']);

/** Finish reasons of requests without an answer, whatever the cause. */
export const isFailed = (finish: string): boolean => finish.endsWith('_error');
