import type { AnswerOf } from './client.ts';

/** A request and its outcome, as lists and streams send it. */
export type LogLine = AnswerOf<'/admin/v1/logs', 'get'>['data'][number];
