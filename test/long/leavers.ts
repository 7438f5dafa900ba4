import { runLeaversPlan } from '../support/leavers-run.ts';
import type { LongRun } from './long-run.ts';

const LEAVERS = 1_000;

export const runLeavers: LongRun = {
  name: 'leavers',
  summary: `${LEAVERS} clients disconnect at random moments of answers at providers of five billing habits`,
  async run({ seed, count = LEAVERS, report }) {
    const { asked, canceled, figures } = await runLeaversPlan({ seed, count, report });
    return `${asked} requests, ${canceled} of them left: ${figures}; ledger difference 0`;
  },
};
