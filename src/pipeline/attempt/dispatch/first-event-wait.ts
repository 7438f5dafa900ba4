import type { Trip } from '../../request/trip.ts';
import type { FirstEventWait } from '../attempt-types.ts';

/** An unmeasured mapping may take this long to its first event, and longer for a long prompt. */
const UNKNOWN_MS = 1_500;
const MS_PER_PROMPT_TOKEN = 0.1;
/** Prompts of so many tokens that are not cached are read for longer than an answer takes to begin: their times are known by themselves. */
const LONG_PROMPT = 20_000;
/** The time that each output token adds to an answer that arrives as a whole. */
const MS_PER_OUTPUT_TOKEN = 10;
const USUAL_OUTPUT = 500;

/**
 * How the first event of a request for text is awaited. A request is not sent to two providers at once if hosted tools
 * would act twice, nor for several choices, which have attempts of their own.
 */
export function findFirstEventWait({ facts }: Pick<Trip, 'facts'>): FirstEventWait | undefined {
  const request = facts.request;
  if (!request) return undefined;
  const { stream } = request;
  if (facts.toolPlans !== undefined)
    return { timing: stream ? 'toolEvent' : 'toolWhole', unknownMs: 0, isAlone: true };
  if (request.choices > 1) return { timing: stream ? 'firstEvent' : 'whole', unknownMs: 0, isAlone: true };
  const promptTokens = facts.inputEstimate ?? 0;
  const promptMs = promptTokens * MS_PER_PROMPT_TOKEN;
  const isLong = promptTokens - (facts.session?.cachedTokens ?? 0) >= LONG_PROMPT;
  if (request.stream)
    return { timing: isLong ? 'longEvent' : 'firstEvent', unknownMs: UNKNOWN_MS + promptMs };
  const output = Math.min(request.maxOutputTokens ?? USUAL_OUTPUT, USUAL_OUTPUT);
  return {
    timing: isLong ? 'longWhole' : 'whole',
    unknownMs: UNKNOWN_MS + promptMs + output * MS_PER_OUTPUT_TOKEN,
  };
}

/** The same for other media: an image, speech or transcription costs too much to be made twice. */
export function findMediumWait({ facts }: Pick<Trip, 'facts'>): FirstEventWait | undefined {
  const { task, inputEstimate = 0 } = facts;
  if (!task?.isReplayable) return undefined;
  const leastMs = inputEstimate * MS_PER_PROMPT_TOKEN;
  return { timing: 'whole', unknownMs: UNKNOWN_MS + leastMs, leastMs };
}
