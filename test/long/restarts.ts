import { setTimeout as sleep } from 'node:timers/promises';
import { findFault } from '../support/audit.ts';
import { runOutagePlan } from '../support/outage-run.ts';
import type { Sighting } from '../support/traffic.ts';
import type { LongRun } from './long-run.ts';

const RESTARTS = 60;
const EVERY_MS = 10_000;
const CLIENTS = 48;
const QUICK_CLIENTS = 4;
const FIRST_SUCCESS_MS = 2_000;
const LONGEST_WAIT_MS = 5_000;

export const runRestarts: LongRun = {
  name: 'restarts',
  summary: `${RESTARTS} restarts of PostgreSQL under load, one every ${EVERY_MS / 1_000} s: immediate shutdowns and kills in turn`,
  async run({ seed, count = RESTARTS, report }) {
    const successesMs: number[] = [];
    const { audit, sightings, cut, longestWaitMs } = await runOutagePlan({
      seed,
      clients: CLIENTS,
      slowShare: 0.2,
      quickClients: QUICK_CLIENTS,
      disturb: async ({ server, sightings: seen, waitForServer }) => {
        for (let number = 1; number <= count; number += 1) {
          const killedAtMs = performance.now();
          server.kill(number % 2 === 0 ? 'crash' : 'immediate');
          const backAtMs = await waitForServer();
          const tookMs = await waitForSuccess(seen, backAtMs);
          successesMs.push(tookMs);
          report(
            `restart ${number}/${count}: away ${(backAtMs - killedAtMs).toFixed(0)} ms, ` +
              `first success ${tookMs.toFixed(0)} ms after, ${seen.length} requests so far`,
          );
          await sleep(Math.max(0, EVERY_MS - (performance.now() - killedAtMs)));
        }
      },
    });
    const fault = findFault(audit);
    if (fault) throw new Error(fault);
    if (cut > 0) throw new Error(`${cut} answers were cut`);
    const slowest = Math.max(...successesMs);
    if (slowest > FIRST_SUCCESS_MS) throw new Error(`a first success came ${slowest.toFixed(0)} ms after`);
    if (longestWaitMs > LONGEST_WAIT_MS) throw new Error(`a request waited ${longestWaitMs.toFixed(0)} ms`);
    const refused = sightings.filter(({ status }) => status === 503).length;
    return (
      `${count} restarts, ${sightings.length} requests, ${audit.completed} completed and exact, ${refused} refused with 503, ` +
      `0 cut, ledger difference 0, first success at most ${slowest.toFixed(0)} ms after PostgreSQL accepts, ` +
      `longest wait ${longestWaitMs.toFixed(0)} ms`
    );
  },
};

async function waitForSuccess(sightings: readonly Sighting[], sinceMs: number): Promise<number> {
  for (;;) {
    // Admitted after the restart: answers already in progress do not count.
    const served = sightings.filter(({ status, startedAtMs }) => status === 200 && startedAtMs >= sinceMs);
    if (served.length > 0) return Math.min(...served.map(({ answeredAtMs }) => answeredAtMs)) - sinceMs;
    if (performance.now() - sinceMs > 30_000) throw new Error('no request succeeded within 30 s');
    await sleep(5);
  }
}
