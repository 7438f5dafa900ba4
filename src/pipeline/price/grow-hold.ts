import type { GrowRequest } from '#accounts';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { type GatewayError, toGatewayError } from '#errors';

type Growth = Omit<GrowRequest, 'requestId'>;

/** Adds to the hold of a trip. Throws if the budget does not cover the least amount, or the database is unavailable. */
export async function growHold(ports: Pick<Ports, 'accounts'>, trip: Trip, growth: Growth): Promise<void> {
  const { requestId } = trip.get('hold');
  try {
    const amount = await ports.accounts.ledger.grow({ requestId, ...growth });
    trip.set({ hold: { requestId, amount }, isHoldBehind: false });
  } catch (thrown) {
    const error = toGatewayError(thrown);
    trip.set({ isHoldBehind: error.status !== 402 });
    throw error;
  }
}

/** The same, but returns the refusal if the budget does not cover the least amount. */
export async function tryGrowHold(
  ports: Pick<Ports, 'accounts'>,
  trip: Trip,
  growth: Growth,
): Promise<GatewayError | undefined> {
  try {
    await growHold(ports, trip, growth);
    return undefined;
  } catch (thrown) {
    const error = toGatewayError(thrown);
    if (error.status !== 402) throw error;
    return error;
  }
}
