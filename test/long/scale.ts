import { writeScaleTables } from '../support/scale-tables.ts';
import type { LongRun } from './long-run.ts';

export const runScale: LongRun = {
  name: 'scale',
  summary:
    'leases of 1,000 processes and of 100,000 organizations, simulated; two real processes beside it; writes docs/scale.md',
  async run({ seed, report }) {
    await writeScaleTables({ seed, report });
    return 'overspent 0, as many requests served by two real processes as simulated; the tables of docs/scale.md are written';
  },
};
