import { addUsd, formatMoment } from '../parts/format.ts';
import { type UsageLine, isFailed } from './sums.ts';

const STEPS_S = { hour: 3_600, day: 86_400 } as const;
export type StepName = keyof typeof STEPS_S;

/** What the requests of a time cost, and how many there were. */
export interface Sums {
  spend: string;
  requests: number;
  errors: number;
}

/** The sums of an hour or a day, which begins at `time`, in seconds since the Unix epoch. */
export interface Step extends Sums {
  time: number;
}

interface Period {
  lines: readonly UsageLine[];
  step: StepName;
  since: string;
}

/** Every step of the period, so that quiet hours are seen as such. */
export function listSteps({ lines, step, since }: Period, now = Date.now()): Step[] {
  const stepS = STEPS_S[step];
  const start = Math.floor(Date.parse(since) / 1_000 / stepS) * stepS;
  const count = Math.floor((now / 1_000 - start) / stepS) + 1;
  const steps = Array.from({ length: count }, (_, index) => ({ time: start + index * stepS, ...NOTHING }));
  for (const line of lines) {
    const at = Math.floor((Date.parse(line.group[step] ?? '') / 1_000 - start) / stepS);
    const old = steps[at];
    if (!old) continue;
    const errors = isFailed(line.group['finish'] ?? '') ? line.requests : 0;
    steps[at] = { time: old.time, ...sum([old, { spend: line.cost, requests: line.requests, errors }]) };
  }
  return steps;
}

const NOTHING: Sums = { spend: '0', requests: 0, errors: 0 };

export const sum = (parts: readonly Sums[]): Sums => ({
  spend: addUsd(parts.map(({ spend }) => spend)),
  requests: parts.reduce((total, { requests }) => total + requests, 0),
  errors: parts.reduce((total, { errors }) => total + errors, 0),
});

const DAY_CHARACTERS = 10;
const MINUTE_CHARACTERS = 16;

/** An hour in the viewer's zone, or a day in UTC, as they are summed. */
export function formatStep(seconds: number, step: StepName): string {
  const { local, utc } = formatMoment(new Date(seconds * 1_000).toISOString());
  return step === 'day' ? utc.slice(0, DAY_CHARACTERS) : local.slice(0, MINUTE_CHARACTERS);
}
