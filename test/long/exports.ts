import type { LongRun } from './long-run.ts';
import { runExportPlan } from '../support/export-run.ts';

const DOWN_S = 300;

export const runExports: LongRun = {
  name: 'exports',
  summary: `an export whose receiver is down for ${DOWN_S} seconds (--count) while requests go on, with two kills`,
  async run({ count = DOWN_S, report }) {
    const { rows, ...figures } = await runExportPlan({
      downMs: count * 1_000,
      requests: 20,
      batchRows: 100,
      report,
    });
    return `${rows} rows, each received and in a file; ${JSON.stringify(figures)}`;
  },
};
