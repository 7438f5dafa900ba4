import { runLastCentPlan } from '../support/last-cent-run.ts';
import type { LongRun } from './long-run.ts';

const ROUNDS = 1_000;
const SHARE = 0.99;

export const runLastCent: LongRun = {
  name: 'last-cent',
  summary: `4 gateways × 64 clients on a limit for one to five requests, ${ROUNDS} rounds; 1,000 requests of 0.10 against 5.00`,
  async run({ seed, count = ROUNDS, report }) {
    const { rounds, exact, overspent, served, snipz } = await runLastCentPlan({
      seed,
      rounds: count,
      report,
    });
    if (overspent > 0) throw new Error(`${overspent} rounds spent more than the limit`);
    if (exact < rounds * SHARE)
      throw new Error(`only ${exact} of ${rounds} rounds served what was affordable`);
    if (snipz !== 50) throw new Error(`${snipz} of 1,000 requests of 0.10 were served against 5.00`);
    return (
      `${rounds} rounds of 256 requests on 4 gateways: overspent 0, exactly what was affordable in ${exact} rounds ` +
      `(${served} requests served), ledger difference 0; 1,000 requests of 0.10 against 5.00: ${snipz} served`
    );
  },
};
