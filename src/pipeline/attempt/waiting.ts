import type { MediaOperation } from '#catalogue';
import type { Trip } from '../request/trip.ts';
import type { Waiting } from './try-route.ts';

/** An unknown mapping may take so long to its first event, and longer for a long prompt. */
const UNKNOWN_MS = 1_500;
const MS_PER_PROMPT_TOKEN = 0.1;
/** A whole answer takes as long as it is. */
const MS_PER_OUTPUT_TOKEN = 10;
const USUAL_OUTPUT = 500;

/** Whether an operation creates nothing and its answer is short and comes whole. */
const IS_REPEATABLE: Readonly<Record<MediaOperation, boolean>> = {
  embeddings: true,
  images: false,
  speech: false,
  transcriptions: false,
  moderations: true,
  rerank: true,
};

/**
 * How the answer to a request for text is awaited. It is not sent to two providers at once where hosted tools would do
 * twice what they do, nor for several choices, which have attempts of their own.
 */
export function findWaiting({ facts }: Pick<Trip, 'facts'>): Waiting | undefined {
  const request = facts.request;
  if (!request) return undefined;
  const { stream } = request;
  if (facts.toolPlans !== undefined)
    return { timing: stream ? 'toolEvent' : 'toolWhole', unknownMs: 0, isAlone: true };
  if (request.choices > 1) return { timing: stream ? 'firstEvent' : 'whole', unknownMs: 0, isAlone: true };
  const promptMs = (facts.inputEstimate ?? 0) * MS_PER_PROMPT_TOKEN;
  if (request.stream) return { timing: 'firstEvent', unknownMs: UNKNOWN_MS + promptMs };
  const output = Math.min(request.maxOutputTokens ?? USUAL_OUTPUT, USUAL_OUTPUT);
  return { timing: 'whole', unknownMs: UNKNOWN_MS + promptMs + output * MS_PER_OUTPUT_TOKEN };
}

/** The same for other media: an image, speech or transcription costs too much to be made twice. */
export function findMediumWaiting({ facts }: Pick<Trip, 'facts'>): Waiting | undefined {
  const { task, inputEstimate = 0 } = facts;
  if (!task || !IS_REPEATABLE[task.operation]) return undefined;
  const leastMs = inputEstimate * MS_PER_PROMPT_TOKEN;
  return { timing: 'whole', unknownMs: UNKNOWN_MS + leastMs, leastMs };
}
