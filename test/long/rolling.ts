import { runIsolation } from '../support/rolling/isolation-run.ts';
import { runRolling } from '../support/rolling/rolling-run.ts';
import type { LongRun } from './long-run.ts';

const RESTARTS = 20;
const STREAMS = 200;
const SECONDS = 10;

export const runRollingRestarts: LongRun = {
  name: 'rolling',
  summary: `${RESTARTS} restarts of two gateways with ${STREAMS} open streams behind one address; then one without network to its providers`,
  async run({ seed, count = RESTARTS, seconds = SECONDS, report }) {
    const rolling = await runRolling({ seed, restarts: count, streams: STREAMS, report });
    const restarts = `${count} restarts, at least ${rolling.leastOpen} streams open at each, ${rolling.requests} requests: ${rolling.refused} refused, ${rolling.cut} cut`;
    report(restarts);
    const { connected, disconnected } = await runIsolation({ seed, seconds });
    const describe = (parts: typeof connected): string =>
      parts
        .map(
          ({ success, requests, cheapest, p50Ms }) =>
            `${(100 * success).toFixed(1)} % of ${requests} (p50 ${p50Ms.toFixed(0)} ms, ${(100 * cheapest).toFixed(0)} % by the cheapest)`,
        )
        .join(', ');
    const network = `before, without network and after: the other gateway ${describe(connected)}; its own ${describe(disconnected)}`;
    report(network);
    if (rolling.refused + rolling.cut > 0) throw new Error(restarts);
    if (connected.some(({ success, cheapest }) => success < 1 || cheapest < 0.95)) throw new Error(network);
    if ((disconnected[1]?.success ?? 1) > 0.1 || (disconnected[2]?.success ?? 0) < 0.99)
      throw new Error(network);
    return `${restarts}; ${network}`;
  },
};
