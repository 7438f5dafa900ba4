import { encodeLogRow } from './encode-log-row.ts';
import { type Column, encodeRecords } from './encode-record.ts';
import { encodeBill } from './encode-settlements.ts';
import type { LeasedRequest, SettledRequest } from './leased-request.ts';
import type { LeaseReport, StoredLease } from '../leases/leases.ts';
import { encodeStorableJson } from './storable-json.ts';

/** One report of a process about its leases. */
export interface Report {
  /** Requests that get a hold of their own. */
  opening: readonly LeasedRequest[];
  settled: readonly SettledRequest[];
  leases: readonly LeaseReport[];
}

/** A report as the SQL function `ledger_report` takes it, behind the owner. */
export function encodeReport({ opening, settled, leases }: Report): unknown[] {
  const subjects = [...opening, ...settled, ...leases].map(({ lease }) => lease.subject);
  const passing = settled.filter(isPassing);
  const leased = settled.filter((one) => one.state === 'leased' && !isPassing(one));
  const bills = settled.filter((one) => one.state !== 'leased' || isPassing(one));
  return [
    [...new Set(subjects.map(({ keyId }) => keyId))],
    [...new Set(subjects.map(({ organizationId }) => organizationId))],
    encodeAll([...opening, ...passing].map(encodeOpening)),
    encodeAll(bills.map(({ settlement }) => encodeBill(settlement))),
    encodeAll(leased.map(encodeLeasedBill)),
    encodeAll(settled.map(({ settlement }) => encodeLogRow(settlement.settlement))),
    encodeAll(leases.map(encodeLease)),
    leases.filter(({ lease }) => lease.subject.premium).map(({ lease }) => lease.id),
  ];
}

/** A lease as `ledger_report` returns it. */
export interface LeaseReply {
  id: string;
  a: string;
  m?: number[];
  r?: number;
}

export function decodeLease({ id, a, m, r }: LeaseReply): [id: string, stored: StoredLease] {
  const amount = BigInt(a);
  return [id, m === undefined || r === undefined ? { amount } : { amount, period: { meters: m, restMs: r } }];
}

/** Without the premium allowance that its lease draws on: a hold of its own leaves that out when it is settled. */
function isPassing({ state, lease, settlement: { settlement } }: SettledRequest): boolean {
  if (state !== 'leased' || !lease.subject.premium) return false;
  return settlement.unreached === true || settlement.standard === true;
}

function encodeAll(records: readonly (readonly Column[])[]): string | null {
  return records.length === 0 ? null : encodeRecords(records);
}

function encodeOpening({ request, lease, amount }: LeasedRequest): Column[] {
  return [request.requestId, lease.id, amount.toString(), encodeStorableJson(request.row)];
}

function encodeLeasedBill({ lease, settlement: { settlement } }: SettledRequest): Column[] {
  const { requestId, customer, provider, estimated } = settlement;
  return [requestId, lease.id, customer.toString(), provider.toString(), String(estimated)];
}

function encodeLease({ lease, keep, want, least }: LeaseReport): Column[] {
  const { keyId, organizationId, memberId, sessionTokenId } = lease.subject;
  const amounts = [keep, want, least].map(String);
  return [lease.id, keyId, organizationId, memberId, sessionTokenId, ...amounts];
}
