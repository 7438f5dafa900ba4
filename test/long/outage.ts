import { setTimeout as sleep } from 'node:timers/promises';
import { findFault } from '../support/audit.ts';
import { type OutageStage, findWaiting, runOutagePlan, waitUntilWritten } from '../support/outage-run.ts';
import type { LongRun } from './long-run.ts';

const SECONDS = 30;
const CLIENTS = 48;
const REFUSED_WITHIN_MS = 2_000;
const WRITTEN_WITHIN_MS = 10_000;
/** So long a busy key may be served from a lease. */
const TRUSTED_MS = 20_000;

interface Seen {
  waiting: number;
  writtenMs: number;
  goneAtMs: number;
  backAtMs: number;
  slowestPageMs: number;
}

export const runOutage: LongRun = {
  name: 'outage',
  summary: `PostgreSQL away for ${SECONDS} s under load; --count gives other seconds`,
  async run({ seed, count = SECONDS, report }) {
    let seen: Seen | undefined;
    const { audit, sightings, cut } = await runOutagePlan({
      seed,
      clients: CLIENTS,
      slowShare: 0.7,
      disturb: async (stage) => {
        seen = await goAway(stage, count, report);
      },
    });
    if (!seen) throw new Error('there was no outage');
    const { goneAtMs, backAtMs, writtenMs, waiting, slowestPageMs } = seen;
    const fault = findFault(audit);
    if (fault) throw new Error(fault);
    if (cut > 0) throw new Error(`${cut} answers were cut`);
    const during = sightings.filter(
      ({ startedAtMs, endedAtMs }) => startedAtMs > goneAtMs && endedAtMs < backAtMs,
    );
    const refusals = during.filter(({ status }) => status === 503);
    const slowest = Math.max(
      0,
      ...refusals.map(({ startedAtMs, answeredAtMs }) => answeredAtMs - startedAtMs),
    );
    const leased = during.filter(
      ({ status, startedAtMs }) => status === 200 && startedAtMs < goneAtMs + TRUSTED_MS,
    );
    const other = during.find((one) => !refusals.includes(one) && !leased.includes(one));
    if (other) throw new Error(`a request that began in the outage got ${other.status} instead of 503`);
    if (refusals.length === 0) throw new Error('nothing was refused in the outage');
    if (refusals.some(({ retryAfter }) => retryAfter === undefined))
      throw new Error('a refusal without retry-after');
    if (slowest > REFUSED_WITHIN_MS) throw new Error(`a refusal took ${slowest.toFixed(0)} ms`);
    if (writtenMs > WRITTEN_WITHIN_MS) throw new Error(`the backlog took ${writtenMs.toFixed(0)} ms`);
    const through = sightings.filter(
      (one) => one.status === 200 && one.startedAtMs < goneAtMs && one.endedAtMs > goneAtMs,
    );
    return (
      `${count} s away: ${through.length} answers under way all came to their end, ${refusals.length} new requests refused, ${leased.length} served from leases ` +
      `(slowest refusal ${slowest.toFixed(0)} ms), pages at most ${slowestPageMs.toFixed(0)} ms, ${waiting} settlements waited and were ` +
      `written ${writtenMs.toFixed(0)} ms after the return, ledger difference 0`
    );
  },
};

async function goAway(
  { server, gateway, waitForServer }: OutageStage,
  seconds: number,
  report: (line: string) => void,
): Promise<Seen> {
  const goneAtMs = performance.now();
  await server.stop();
  report('PostgreSQL is away');
  let slowestPageMs = 0;
  for (let second = 1; second <= seconds; second += 1) {
    await sleep(1_000);
    for (const [path, expected] of [
      ['/', 503],
      ['/v1/models', 200],
    ] as const) {
      const askedAtMs = performance.now();
      const response = await gateway.request(path);
      await response.arrayBuffer();
      slowestPageMs = Math.max(slowestPageMs, performance.now() - askedAtMs);
      if (response.status !== expected) throw new Error(`${path} answered ${response.status} in the outage`);
    }
    if (second % 5 === 0) report(`${second} s: ${(await findWaiting(gateway)).length} settlements wait`);
  }
  const waiting = await findWaiting(gateway);
  const startedAtMs = performance.now();
  await server.start();
  const backAtMs = await waitForServer();
  report(`PostgreSQL is back after ${(backAtMs - startedAtMs).toFixed(0)} ms of starting`);
  const writtenMs = await waitUntilWritten(gateway, waiting);
  await sleep(2_000);
  return { waiting: waiting.length, writtenMs, goneAtMs, backAtMs: startedAtMs, slowestPageMs };
}
