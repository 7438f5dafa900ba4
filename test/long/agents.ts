import { runAgentPlan } from '../support/agent-run.ts';
import type { LongRun } from './long-run.ts';

const SESSIONS = 200;

export const runAgents: LongRun = {
  name: 'agents',
  summary: `${SESSIONS} sessions of a coding agent, each until its budget ends: how much of it is usable`,
  async run({ seed, count = SESSIONS, report }) {
    const figures = await runAgentPlan({ seed, count, report });
    if (figures.overspent > 0) throw new Error(`${figures.overspent} sessions spent more than their budget`);
    const { sessions, answers, median, least, refused, ended } = figures;
    const { medianAtWorstCase, leastAtWorstCase, refusedAtWorstCase } = figures;
    return [
      `${sessions} sessions, ${answers} answers`,
      `holds that grow: usable median ${median} %, least ${least} %; ${refused} ended refused, ${ended} in an answer at its limit; overspent 0`,
      `holds of the worst case: usable median ${medianAtWorstCase} %, least ${leastAtWorstCase} %; ${refusedAtWorstCase} refused with more than a tenth unspent; overspent 0`,
    ].join('\n');
  },
};
