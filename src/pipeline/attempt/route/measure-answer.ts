import type { TimingName } from '#routing';
import type { Candidate } from '../candidate.ts';
import type { Attempt } from '../attempt-types.ts';
import { inputTokensOf, outputTokensOf } from '#canonical';
import { healthsOf } from '../candidate.ts';

/** Tokens of prompts are read this many times as fast as others are generated. */
const READING_FACTOR = 100;

interface AnsweredAttempt {
  candidate: Candidate;
  attempt: Attempt;
  startedMs: number;
  /** Until the answer began. */
  takenMs?: number;
}

/** Whether a silence within an answer shows something: tools that run at the provider are silent for long. */
export function isOrdinaryStream(timing: TimingName | undefined): boolean {
  return timing === 'firstEvent' || timing === 'longEvent';
}

/** Measures a whole answer by what its first part was awaited for. */
export function measureAnswer(answered: AnsweredAttempt, timing: TimingName | undefined): void {
  const { candidate, attempt, startedMs } = answered;
  const { longestSilenceMs } = attempt;
  if (timing === 'whole' || timing === 'longWhole') measureSpeed(answered);
  else if (isOrdinaryStream(timing) && longestSilenceMs !== undefined)
    for (const health of healthsOf(candidate)) health.measure('silence', startedMs, longestSilenceMs);
}

/** The speed of an answer that is not streamed shows in its time and length together. */
function measureSpeed({ candidate, attempt, startedMs, takenMs }: AnsweredAttempt): void {
  const length = lengthOf(attempt);
  if (takenMs === undefined || length === 0) return;
  for (const health of healthsOf(candidate)) {
    health.measure('answer', startedMs, takenMs);
    health.measure('answerLength', startedMs, length);
  }
}

/** How long an answer is, with its share for the prompt, in generated tokens. */
function lengthOf({ meter }: Attempt): number {
  const { usage } = meter.bill;
  return outputTokensOf(usage) + inputTokensOf(usage) / READING_FACTOR;
}
