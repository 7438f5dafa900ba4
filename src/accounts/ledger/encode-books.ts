import type { JsonObject, PicoUsd } from '#base';
import type { LedgerDifference } from './ledger.ts';
import { formatUsd } from '#base';

/** What a check of the ledger finds. */
export interface Books {
  differences: readonly LedgerDifference[];
  /** Settlements that are not in the database yet. */
  waiting: number;
  /** What crashed processes may have lost. */
  lost: PicoUsd;
}

export function encodeBooks({ differences, waiting, lost }: Books): JsonObject {
  return {
    object: 'ledger_check',
    ok: differences.length === 0,
    differences: differences.map(({ what, subject, expected, actual }) => ({
      what,
      subject,
      expected,
      actual,
    })),
    waiting,
    lost: formatUsd(lost),
  };
}
