import type { Death } from './crash-driver.ts';
import { CRASH_POINTS, OUTAGE_POINTS, START_POINTS } from './crash-points.ts';
import { createSeededRandom } from './seeded-random.ts';

const LATEST_PASS = 30;

/** Every named point this many times, at a pass decided by the seed. */
export function createNamedDeaths(seed: number, times: number): Death[] {
  const random = createSeededRandom(seed);
  const deaths: Death[] = [];
  for (let round = 0; round < times; round += 1) {
    for (const at of CRASH_POINTS) {
      const isRare = OUTAGE_POINTS.includes(at) || START_POINTS.includes(at);
      // A start finds a journal if the previous process crashed during an outage.
      if (START_POINTS.includes(at)) deaths.push({ at: 'journal-synced', pass: 1 });
      deaths.push({ at, pass: isRare ? 1 : 1 + Math.floor(random() * LATEST_PASS) });
    }
  }
  return deaths;
}
