import type { GatewayError } from '#errors';
import type { Ports } from './ports.ts';
import type { Outcome, Trip } from './trip.ts';
import { toGatewayError } from '#errors';
import { toRow } from './row.ts';

const RETRY_FIRST_MS = 50;
const RETRY_MOST_MS = 2_000;
/** How long the caller's last byte waits for a store that is away. */
const PATIENCE_MS = 5_000;

/**
 * Writes what a closed trip cost and its one row, before the caller sees the end. A store that is away is tried
 * again: for a while with the caller waiting, then without, for as long as the process lives.
 */
export async function settle(ports: Ports, trip: Trip, outcome: Outcome): Promise<void> {
  if (!outcome.facts.caller) return;
  const durationMs = ports.clock.monotonicMs() - trip.arrival.startedMs;
  const row = toRow(trip, outcome, durationMs);
  const { customer, provider, estimated } = outcome.bill;
  const write = async (): Promise<void> =>
    outcome.facts.hold
      ? ports.accounts.ledger.settle({
          requestId: trip.arrival.requestId,
          customer,
          provider,
          estimated,
          row,
        })
      : ports.accounts.ledger.record(row);
  try {
    await write();
  } catch (thrown) {
    await retry(ports, trip, { write, error: toGatewayError(thrown) });
  }
  ports.telemetry.requestClosed({
    requestId: row.requestId,
    endpoint: row.endpoint,
    status: row.status,
    finishReason: row.finishReason,
    durationMs: row.durationMs,
    model: row.modelId,
    provider: row.providerId,
  });
}

interface Unwritten {
  write(): Promise<void>;
  error: GatewayError;
}

/** Resolves once written; rejects when patience ends, and goes on in the background. */
async function retry(ports: Ports, trip: Trip, { write, error }: Unwritten): Promise<void> {
  ports.telemetry.settlementFailed(trip.arrival.requestId, error);
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const patience = setTimeout(() => reject(error), PATIENCE_MS);
  const again = (delayMs: number): void => {
    setTimeout(() => {
      write().then(
        () => {
          clearTimeout(patience);
          resolve(undefined);
        },
        () => again(Math.min(delayMs * 2, RETRY_MOST_MS)),
      );
    }, delayMs);
  };
  again(RETRY_FIRST_MS);
  await promise;
}
