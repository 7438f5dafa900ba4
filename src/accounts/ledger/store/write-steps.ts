import { encodeSettlements } from './encode-settlements.ts';
import type { LedgerCalls } from './ledger-calls.ts';
import { encodeStorableJson } from './storable-json.ts';
import {
  type OwnedSettlement,
  type ReserveOutcome,
  type ReserveReply,
  type ReserveTry,
  decodeReply,
  encodeSettlement,
  encodeTry,
  isBeyondHold,
} from './store-codec.ts';
import { isStoreDown } from './store-fault.ts';

/** A hold to create, or to resolve. `encoded`: settled before, perhaps by another process. */
export type Step = ReserveTry | OwnedSettlement | { encoded: object };

const WRITE_ANY = 'SELECT ledger_step($1, $2, $3, $4) AS value';
/** Fails as a whole if one of the holds is gone, or a row cannot be stored. */
const WRITE_HELD = 'SELECT ledger_ship($1, $2, $3, $4, $5, $6, $7) AS value';

/**
 * Creates and resolves holds in one statement; returns the outcomes of tries at their places. Settlements cost half if all
 * their holds exist and all rows can be stored. `nowMs`: by the database's clock if null.
 */
export async function writeSteps(
  calls: LedgerCalls,
  steps: readonly Step[],
  nowMs: number | null,
): Promise<(ReserveOutcome | undefined)[]> {
  const settlements = steps.filter((step) => 'settlement' in step);
  const tries = steps.filter((step) => 'request' in step);
  const tried = encodeAll(tries.map(encodeTry));
  const writeAny = (): Promise<ReserveReply[] | undefined> =>
    calls.call('step', WRITE_ANY, [calls.epoch, encodeAll(steps.flatMap(encodeSettling)), tried, nowMs]);
  const writeHeld = (): Promise<ReserveReply[] | undefined> =>
    calls.call('ship', WRITE_HELD, [calls.epoch, ...encodeSettlements(settlements, tries), tried, nowMs]);
  const needsAny = settlements.length + tries.length < steps.length || settlements.some(isBeyondHold);
  const replies =
    settlements.length === 0 || needsAny
      ? await writeAny()
      : await writeHeld().catch((error: unknown) => {
          if (isStoreDown(error)) throw error;
          return writeAny(); // a hold is gone, or a row is odd
        });
  const outcomes = (replies ?? []).map(decodeReply);
  if (outcomes.length !== tries.length) throw new Error('a step returned a different number of outcomes');
  let next = 0;
  return steps.map((step) => ('request' in step ? outcomes[next++] : undefined));
}

function encodeAll(items: readonly object[]): string | null {
  return items.length === 0 ? null : encodeStorableJson(items);
}

function encodeSettling(step: Step): object[] {
  if ('request' in step) return [];
  return ['encoded' in step ? step.encoded : encodeSettlement(step)];
}
