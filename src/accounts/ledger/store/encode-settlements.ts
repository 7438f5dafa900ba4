import { encodeLogRow } from './encode-log-row.ts';
import { type Column, encodeRecords } from './encode-record.ts';
import type { OwnedSettlement, ReserveTry } from './store-codec.ts';

/** Settlements as the SQL function `ledger_ship` takes them: the lock rows of all steps, the bills, and the log rows. */
export function encodeSettlements(
  settlements: readonly OwnedSettlement[],
  tries: readonly ReserveTry[],
): [keys: string[], organizations: string[], bills: string, rows: string] {
  const whose = [...settlements.map(({ subject }) => subject), ...tries.map(({ request }) => request.caller)];
  return [
    [...new Set(whose.map(({ keyId }) => keyId))],
    [...new Set(whose.map(({ organizationId }) => organizationId))],
    encodeRecords(settlements.map(encodeBill)),
    encodeRecords(settlements.map(({ settlement }) => encodeLogRow(settlement))),
  ];
}

/** A `ledger_bill`. */
export function encodeBill({ settlement }: OwnedSettlement): Column[] {
  return [
    settlement.requestId,
    settlement.customer.toString(),
    settlement.provider.toString(),
    String(settlement.estimated),
    settlement.unreached ? 'true' : undefined,
    settlement.standard ? 'true' : undefined,
  ];
}
