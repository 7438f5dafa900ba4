import { runDashboardPlan } from '../support/dashboard-run.ts';
import type { LongRun } from './long-run.ts';

const ROWS = 1_000_000;

export const runDashboard: LongRun = {
  name: 'dashboard',
  summary: `the dashboard in a browser beside ${ROWS} rows (--count): first load, clicks, scrolling, and requests beside it`,
  run: ({ count = ROWS, report }) => runDashboardPlan({ rows: count, report }),
};
