import { runRecallPlan } from '../support/recall-run.ts';
import type { LongRun } from './long-run.ts';

const ROUNDS = 1_000;
/** By then idle leases return by themselves. */
const RECALLED_WITHIN_MS = 3_000;

export const runRecall: LongRun = {
  name: 'recall',
  summary: `4 processes with leases × 64 clients race for the rest of a budget, ${ROUNDS.toLocaleString('en')} rounds`,
  async run({ seed, count = ROUNDS, report }) {
    const figures = await runRecallPlan({ seed, rounds: count, report });
    const { rounds, served, overspent, affordable, leases, leasedRounds, leasedShare } = figures;
    if (overspent > 0) throw new Error(`${overspent} rounds spent more than the limit`);
    if (affordable > 0) throw new Error(`${affordable} requests were refused that could be paid`);
    if (figures.medianMs >= RECALLED_WITHIN_MS)
      throw new Error(
        `half the rounds had a request that waited ${figures.medianMs.toFixed(0)} ms or longer`,
      );
    return (
      `${rounds.toLocaleString('en')} rounds, ${served.toLocaleString('en')} requests served: overspent 0, refused though affordable 0, ` +
      `ledger difference 0; ${figures.renewed} budgets renewed meanwhile; leases open at the race in ${leasedRounds} rounds, ${(leases / rounds).toFixed(1)} of them with ` +
      `${(100 * leasedShare).toFixed(0)} % of what was left; longest wait for a hold: median of the rounds ` +
      `${figures.medianMs.toFixed(0)} ms, longest ${figures.slowestMs.toFixed(0)} ms`
    );
  },
};
