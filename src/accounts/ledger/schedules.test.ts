import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSchedulePlan } from '../../../test/support/schedule-run.ts';
import { repetitions } from '../../../test/support/repetitions.ts';

/** The long form is `npm run test:long -- schedules`. */
const SCHEDULES = repetitions(600);
const PARTS = 2;
const seed = Number(process.env['SEED'] ?? 20261123);

// In parts, because a test may take two minutes, even on a slow machine.
for (let part = 0; part < PARTS; part += 1) {
  test(`${SCHEDULES} random schedules of repeats, delays, crashes, sweeps and clock leaps, part ${part + 1} of ${PARTS}: every answer and every sum of the real SQL is the model's`, async (t) => {
    const count = SCHEDULES / PARTS;
    const { schedules, steps } = await runSchedulePlan({ seed: seed + part * count, count });
    assert.equal(schedules, count);
    t.diagnostic(`${steps} steps, seed ${seed}`);
  });
}
