import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFault } from '../support/audit.ts';
import type { Death } from '../support/crash-driver.ts';
import { createNamedDeaths } from '../support/named-deaths.ts';
import { runKillPlan } from '../support/kill-run.ts';

const SEED = Number(process.env['CRASH_SEED'] ?? 20261122);

test(
  'killed once at every named point every request that reached the provider has one row, completed ones exact',
  { timeout: 1_800_000 },
  async (t) => {
    const deaths: Death[] = createNamedDeaths(SEED, 1);
    const { audit, unreached, kills } = await runKillPlan({ seed: SEED, deaths: [deaths], clients: 8 });
    assert.deepEqual(unreached, [], 'every point was reached');
    assert.equal(findFault(audit), undefined, `seed ${SEED}`);
    assert.ok(audit.completed > 0 && audit.estimated > 0);
    t.diagnostic(
      `${kills} kills, ${audit.reached} requests reached the provider, ${audit.completed} completed`,
    );
  },
);
