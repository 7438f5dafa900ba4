import type { LogRow } from '#logs';
import type { Metered } from '../price/meter.ts';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { toOpenRow } from './row.ts';

const EVERY_MS = 125;

/** Reports to the ledger what was delivered so far, at most eight times a second: the amount a crash leaves to charge. */
export function createProgress(ports: Ports, trip: Trip): (meter: Metered) => void {
  let notedMs = ports.clock.monotonicMs();
  return (meter) => {
    const nowMs = ports.clock.monotonicMs();
    if (nowMs - notedMs < EVERY_MS || !meter.hasDelivered || !trip.facts.request?.stream) return;
    notedMs = nowMs;
    const { usage, customer, provider } = meter.bill;
    const row: LogRow = {
      ...toOpenRow(trip, trip.get('mapping')),
      usage,
      customer: customer.toString(),
      provider: provider.toString(),
      durationMs: Math.round(nowMs - trip.arrival.startedMs),
    };
    ports.accounts.ledger.noteProgress(trip.arrival.requestId, { customer, provider, row });
  };
}
