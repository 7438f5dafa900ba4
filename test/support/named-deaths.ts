import type { Death } from './crash-driver.ts';
import { CRASH_POINTS, type CrashPoint, OUTAGE_POINTS, START_POINTS } from './crash-points.ts';
import { createSeededRandom } from './seeded-random.ts';

const LATEST_PASS = 30;
/** The next start finds a journal. */
const JOURNALED: Death = { at: 'journal-synced', pass: 1 };
/** What the process before must leave in its journal, if not just any record. */
const PREPARED_BY: Partial<Record<CrashPoint, Death>> = {
  'journal-replayed': { at: 'settled-on-lease', pass: 1 },
};

/** Every named point this many times, at a pass decided by the seed. */
export function createNamedDeaths(seed: number, times: number): Death[] {
  const random = createSeededRandom(seed);
  const deaths: Death[] = [];
  for (let round = 0; round < times; round += 1) {
    for (const at of CRASH_POINTS) {
      const isRare = OUTAGE_POINTS.includes(at) || START_POINTS.includes(at);
      if (START_POINTS.includes(at)) deaths.push(PREPARED_BY[at] ?? JOURNALED);
      deaths.push({ at, pass: isRare ? 1 : 1 + Math.floor(random() * LATEST_PASS) });
    }
  }
  return deaths;
}
