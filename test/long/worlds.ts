import { summarizeWorlds } from '../support/worlds/world-summary.ts';
import type { LongRun } from './long-run.ts';

const WORLDS = 10_000;
const REPORT_EVERY = 500;

export const runWorlds: LongRun = {
  name: 'worlds',
  summary: `${WORLDS} random worlds of providers that fail, hang and slow down, on a virtual clock`,
  async run({ seed, count = WORLDS, report }) {
    const summary = await summarizeWorlds({
      seed,
      count,
      onWorld: (done, broken) => {
        for (const law of broken) report(law);
        if (done % REPORT_EVERY === 0) report(`${done} worlds`);
      },
    });
    if (summary.broken.length > 0) throw new Error(`${summary.broken.length} laws broken; ${summary.text}`);
    return summary.text;
  },
};
