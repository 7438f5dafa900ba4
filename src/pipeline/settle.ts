import type { Settlement } from '#accounts';
import { type LogRow, summarizeRow } from '#logs';
import type { Ports } from './ports.ts';
import type { Outcome, Trip } from './trip.ts';
import type { PremiumRule } from '#catalogue';
import { startDeadline } from '#base';
import { isPremium } from '#catalogue';
import { GatewayError, toGatewayError } from '#errors';
import { endPass } from './limit.ts';
import { toRow } from './row.ts';

const RETRY_FIRST_MS = 50;
const RETRY_MOST_MS = 2_000;
/** A row that moves no money is let go when it could not be written for so long: an outage must not fill the memory. */
const GIVE_UP_AFTER_MS = 60_000;
/** How long the caller's last byte waits for a store that is away. */
const PATIENCE_MS = 5_000;
/** The same for what costs nothing, such as a refusal. */
export const LITTLE_PATIENCE_MS = 500;

/**
 * Writes what a closed trip cost and its one row, before the caller sees the end. A store that is away is tried
 * again: for a while with the caller waiting, then without, for as long as the process lives.
 */
export async function settle(
  ports: Ports,
  trip: Trip,
  { outcome, patienceMs = PATIENCE_MS }: { outcome: Outcome; patienceMs?: number },
): Promise<void> {
  if (!outcome.facts.caller) return;
  endPass(outcome);
  const row = toRow(trip, outcome, ports.clock.monotonicMs() - trip.arrival.startedMs);
  const unwritten = toUnwritten(ports, outcome, row);
  await writeInTime(ports, unwritten, patienceMs);
  ports.telemetry.requestClosed(summarizeRow(row));
}

interface Unwritten {
  requestId: string;
  movesMoney: boolean;
  write(): Promise<void>;
}

/** Holds on to nothing but the row: it may outlive its trip, whose request can be large. */
function toUnwritten(ports: Ports, outcome: Outcome, row: LogRow): Unwritten {
  const { ledger } = ports.accounts;
  const { facts, bill } = outcome;
  const { requestId } = row;
  const movesMoney = facts.hold !== undefined;
  const { customer, provider, estimated } = bill;
  const settlement = {
    requestId,
    customer,
    provider,
    estimated,
    ...toUse(outcome, ports.live().premium),
    row,
  };
  const write = (): Promise<void> => (movesMoney ? ledger.settle(settlement) : ledger.record(row));
  return { requestId, movesMoney, write };
}

/** What a premium week needs to know: whether a provider was asked at all, and whether what answered is premium. */
function toUse({ facts, attempts }: Outcome, rule: PremiumRule): Pick<Settlement, 'unreached' | 'standard'> {
  const isReached =
    facts.dispatchedMs !== undefined &&
    (attempts.length === 0 ||
      attempts.some(({ outcome }) => outcome !== 'unreachable' && outcome !== 'unsayable'));
  return {
    ...(!isReached && { unreached: true }),
    ...(facts.mapping &&
      (facts.credential === 'own' || !isPremium(facts.mapping, rule)) && { standard: true }),
  };
}

/** Resolves once written; rejects when patience ends, and goes on in the background. */
async function writeInTime(ports: Ports, unwritten: Unwritten, patienceMs: number): Promise<void> {
  const { requestId, movesMoney, write } = unwritten;
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const startedMs = ports.clock.monotonicMs();
  let failure: GatewayError | undefined;
  const patience = startDeadline(patienceMs, () => reject(failure ?? createTooSlow()));
  const goOn = (thrown: unknown, delayMs: number): void => {
    const isFirst = failure === undefined;
    failure = toGatewayError(thrown);
    if (isFirst) ports.telemetry.settlementFailed(requestId, failure);
    if (!movesMoney && ports.clock.monotonicMs() - startedMs > GIVE_UP_AFTER_MS) return;
    setTimeout(() => tryIt(Math.min(delayMs * 2, RETRY_MOST_MS)), delayMs).unref();
  };
  const tryIt = (delayMs: number): void => {
    write().then(
      () => {
        patience.stop();
        resolve(undefined);
      },
      (thrown: unknown) => goOn(thrown, delayMs),
    );
  };
  tryIt(RETRY_FIRST_MS);
  await promise;
}

function createTooSlow(): GatewayError {
  return new GatewayError('store_unavailable', 'the database of this gateway does not keep up; try again', {
    retryAfterSeconds: 2,
  });
}
