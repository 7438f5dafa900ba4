import { runAgentPlan } from '../support/agent-run.ts';
import type { LongRun } from './long-run.ts';

const SESSIONS = 200;

export const runAgents: LongRun = {
  name: 'agents',
  summary: `${SESSIONS} sessions of a coding agent, each until its budget ends: how much of it is usable`,
  async run({ seed, count = SESSIONS, report }) {
    const figures = await runAgentPlan({ seed, count, report });
    if (figures.overspent > 0) throw new Error(`${figures.overspent} sessions spent more than their budget`);
    return (
      `${figures.sessions} sessions, ${figures.answers} answers, overspent 0; of the budget usable: ` +
      `median ${figures.median} %, least ${figures.least} % ` +
      `(with holds of the worst case ${figures.medianAtWorstCase} % and ${figures.leastAtWorstCase} %)`
    );
  },
};
