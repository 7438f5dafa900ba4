import type { LogRow } from '#logs';
import type { MeteredUsage } from '../../price/meter.ts';
import type { Ports } from '../../request/ports.ts';
import type { Trip } from '../../request/trip.ts';
import { toOpenRow } from './row.ts';

const EVERY_MS = 60;

/**
 * Reports the delivered part of a stream to the ledger, at most sixteen times a second: after a crash this amount is
 * charged. A part delivered just after a report is reported even if nothing follows for a while.
 */
export function createProgress(ports: Ports, trip: Trip): (meter: MeteredUsage) => void {
  if (!trip.facts.request?.stream) return ignore;
  let recordedMs = ports.clock.monotonicMs();
  let latest: MeteredUsage | undefined;
  const record = (): void => {
    const meter = latest;
    latest = undefined;
    const { mapping } = trip.facts;
    if (meter === undefined || mapping === undefined || trip.isClosed) return;
    const nowMs = ports.clock.monotonicMs();
    recordedMs = nowMs;
    const { usage, customer, provider } = meter.bill;
    const row: LogRow = {
      ...toOpenRow(trip, mapping),
      usage,
      customer: customer.toString(),
      provider: provider.toString(),
      durationMs: Math.round(nowMs - trip.arrival.startedMs),
    };
    ports.accounts.ledger.recordProgress(trip.arrival.requestId, { customer, provider, row });
  };
  return (meter) => {
    if (!meter.hasDelivered) return;
    const isWaiting = latest !== undefined;
    latest = meter;
    const waitMs = EVERY_MS - (ports.clock.monotonicMs() - recordedMs);
    if (waitMs <= 0) record();
    else if (!isWaiting) setTimeout(record, waitMs).unref();
  };
}

function ignore(): void {
  // An answer that is not a stream is delivered at once, after it is settled.
}
