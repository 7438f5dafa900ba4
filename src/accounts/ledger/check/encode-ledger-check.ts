import type { JsonObject, PicoUsd } from '#base';
import type { LedgerDifference } from '../ledger.ts';
import { encodeMembers, formatUsd } from '#base';

/** The result of a check of the ledger. */
export interface LedgerCheck {
  differences: readonly LedgerDifference[];
  /** Settlements that are not in the database yet. */
  waiting: number;
  /** What crashed processes may have lost. */
  lost: PicoUsd;
}

export function encodeLedgerCheck({ differences, waiting, lost }: LedgerCheck): JsonObject {
  return {
    object: 'ledger_check',
    ok: differences.length === 0,
    differences: differences.map((one) => encodeMembers(one, ['what', 'subject', 'expected', 'actual'])),
    waiting,
    lost: formatUsd(lost),
  };
}
