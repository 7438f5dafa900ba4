import { addUsd, writeMoment } from '../parts/format.ts';
import { type UsageLine, isFailed } from './sums.ts';

const STEPS_MS = { hour: 3_600_000, day: 86_400_000 } as const;
export type StepName = keyof typeof STEPS_MS | 'month';

/** What the requests of a time cost, and how many there were. */
export interface Sums {
  spend: string;
  requests: number;
  errors: number;
}

/** The sums of an hour, a day or a month, which begins at `time`, in seconds since the Unix epoch. */
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
  const steps = new Map<number, Step>();
  for (let at = startOfStep(step, Date.parse(since)); at <= now; at = startOfStep(step, at, 1))
    steps.set(at, { time: at / 1_000, ...NOTHING });
  for (const line of lines) {
    const at = Date.parse(line.group[step] ?? '');
    const old = steps.get(at);
    if (!old) continue;
    const errors = isFailed(line.group['finish'] ?? '') ? line.requests : 0;
    steps.set(at, { time: old.time, ...sum([old, { spend: line.cost, requests: line.requests, errors }]) });
  }
  return [...steps.values()];
}

/** The beginning of the step that a time is in, or of one after it; days and months are those of UTC. */
function startOfStep(step: StepName, time: number, after = 0): number {
  const date = new Date(time);
  if (step === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + after);
  return (Math.floor(time / STEPS_MS[step]) + after) * STEPS_MS[step];
}

const NOTHING: Sums = { spend: '0', requests: 0, errors: 0 };

export const sum = (parts: readonly Sums[]): Sums => ({
  spend: addUsd(parts.map(({ spend }) => spend)),
  requests: parts.reduce((total, { requests }) => total + requests, 0),
  errors: parts.reduce((total, { errors }) => total + errors, 0),
});

const UTC_CHARACTERS = { day: 10, month: 7 } as const;

/** An hour in the viewer's zone with UTC beside, or a day or month in UTC, as they are summed. */
export function formatStep(seconds: number, step: StepName): string {
  const iso = new Date(seconds * 1_000).toISOString();
  if (step !== 'hour') return iso.slice(0, UTC_CHARACTERS[step]);
  return writeMoment(iso).replaceAll(/(\d\d:\d\d):\d\d/g, '$1');
}
