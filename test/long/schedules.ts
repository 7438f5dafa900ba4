import { runSchedulePlan } from '../support/schedule-run.ts';
import type { LongRun } from './long-run.ts';

const SCHEDULES = 1_000_000;

export const runSchedules: LongRun = {
  name: 'schedules',
  summary: `${SCHEDULES.toLocaleString('en')} schedules of crashes, repeats, delays and clock jumps through the real SQL, beside a model`,
  async run({ seed, count = SCHEDULES, report }) {
    const { schedules, steps } = await runSchedulePlan({ seed, count, report });
    return `${schedules.toLocaleString('en')} schedules, ${steps.toLocaleString('en')} steps: every answer and every sum as the model says`;
  },
};
