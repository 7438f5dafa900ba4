import { encodeLogRow } from './encode-log-row.ts';
import { type Column, encodeRecords } from './encode-record.ts';
import { encodeBill } from './encode-settlements.ts';
import type { LeasedRequest } from './leased-request.ts';
import type { LeaseReport, LeaseState } from './leases.ts';
import { encodeStorableJson } from './storable-json.ts';
import type { OwnedSettlement } from './store-codec.ts';

/** What a process reports of its leases at once. */
export interface Report {
  /** Requests that get a hold of their own. */
  opening: readonly LeasedRequest[];
  settled: readonly LeasedRequest[];
  leases: readonly LeaseReport[];
}

/** A report as the SQL function `ledger_report` takes it, behind the owner. */
export function encodeReport({ opening, settled, leases }: Report): unknown[] {
  const subjects = [...opening, ...settled, ...leases].map(({ lease }) => lease.subject);
  const passing = settled.filter(isPassing);
  const bills = settled.filter((one) => one.hasHold || isPassing(one)).map(settlementOf);
  const leased = settled.filter((one) => !one.hasHold && !isPassing(one));
  return [
    [...new Set(subjects.map(({ keyId }) => keyId))],
    [...new Set(subjects.map(({ organizationId }) => organizationId))],
    encodeAll([...opening, ...passing].map(encodeOpening)),
    encodeAll(bills.map(encodeBill)),
    encodeAll(leased.map(encodeLeasedBill)),
    encodeAll(settled.map((one) => encodeLogRow(settlementOf(one).settlement))),
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

export function decodeLease({ id, a, m, r }: LeaseReply): [id: string, state: LeaseState] {
  const amount = BigInt(a);
  return [id, m === undefined || r === undefined ? { amount } : { amount, period: { meters: m, restMs: r } }];
}

/** Without the premium allowance that its lease draws on: a hold of its own leaves that out when it is settled. */
function isPassing(one: LeasedRequest): boolean {
  if (one.hasHold || !one.lease.subject.premium) return false;
  const { settlement } = settlementOf(one);
  return settlement.unreached === true || settlement.standard === true;
}

function encodeAll(records: readonly (readonly Column[])[]): string | null {
  return records.length === 0 ? null : encodeRecords(records);
}

function settlementOf({ settlement }: LeasedRequest): OwnedSettlement {
  if (settlement === undefined) throw new Error('a request that is reported as settled is not');
  return settlement;
}

function encodeOpening({ request, lease, amount }: LeasedRequest): Column[] {
  return [request.requestId, lease.id, amount.toString(), encodeStorableJson(request.row)];
}

function encodeLeasedBill(one: LeasedRequest): Column[] {
  const { settlement } = settlementOf(one);
  const { requestId, customer, provider, estimated } = settlement;
  return [requestId, one.lease.id, customer.toString(), provider.toString(), String(estimated)];
}

function encodeLease({ lease, keep, want, least }: LeaseReport): Column[] {
  const { keyId, organizationId, memberId, sessionTokenId } = lease.subject;
  const amounts = [keep, want, least].map(String);
  return [lease.id, keyId, organizationId, memberId, sessionTokenId, ...amounts];
}
