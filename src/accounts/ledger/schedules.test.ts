import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSchedulePlan } from '../../../test/support/schedule-run.ts';

/** The long form is `npm run test:long -- schedules`. */
const SCHEDULES = 500;

test(`${SCHEDULES} random schedules of repeats, delays, crashes, sweeps and clock leaps: every answer and every sum of the real SQL is the model's`, async (t) => {
  const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  const { schedules, steps } = await runSchedulePlan({ seed, count: SCHEDULES });
  assert.equal(schedules, SCHEDULES);
  t.diagnostic(`${steps} steps, seed ${seed}`);
});
