import type { PicoUsd } from '#base';
import type { GrowRequest, HoldRequest, Progress, Settlement } from '../ledger.ts';
import type { Lease } from '../leases/leases.ts';
import type { MeterKind, Subject } from '../../meters/subject.ts';

/** The meter that refused a request. */
export interface MeterFigures {
  kind: MeterKind;
  limit: PicoUsd;
  used: PicoUsd;
  held: PicoUsd;
  /** The part of `held` that the request itself holds, where that was to grow. */
  own?: PicoUsd;
  /** When its period ends, in milliseconds since the Unix epoch; absent if it has none, or none has begun. */
  resetsAt?: number;
}

/**
 * The outcome of an attempt to reserve money, or more of it. `blocked`: only open holds are in the way. `closed`: it was
 * settled before. `amount`: of the whole hold.
 */
export type ReserveOutcome =
  | { status: 'ok'; amount: PicoUsd }
  | ({ status: 'refused' | 'blocked' } & MeterFigures)
  | { status: 'closed' };

export interface ReserveTry {
  request: HoldRequest;
  /** Takes what is available now, past the queue. */
  final: boolean;
}

/** A settlement with the subjects of its meters, in case its hold is gone. */
export interface OwnedSettlement {
  settlement: Settlement;
  subject: Subject;
  /** The meters that it is charged to if it was admitted on a lease with periods. */
  meters?: readonly number[] | undefined;
  /** The lease it was admitted on. */
  lease?: string | undefined;
}

/** Whether it cost more than its hold: only its JSON has a place for that. */
export const isBeyondHold = ({ settlement }: OwnedSettlement): boolean => settlement.beyondHold !== undefined;

/** An outcome as the SQL functions `ledger_reserve` and `ledger_grow` return it. */
export interface ReserveReply {
  s: 'ok' | 'refused' | 'blocked' | 'closed';
  a?: string;
  m?: MeterKind;
  lim?: string;
  used?: string;
  held?: string;
  own?: string;
  z?: number | null;
}

export function decodeReply(reply: ReserveReply): ReserveOutcome {
  if (reply.s === 'closed') return { status: 'closed' };
  if (reply.s === 'ok') return { status: 'ok', amount: BigInt(reply.a ?? '0') };
  return {
    status: reply.s,
    kind: reply.m ?? 'key',
    limit: BigInt(reply.lim ?? '0'),
    used: BigInt(reply.used ?? '0'),
    held: BigInt(reply.held ?? '0'),
    ...(reply.own !== undefined && { own: BigInt(reply.own) }),
    ...(typeof reply.z === 'number' && { resetsAt: reply.z }),
  };
}

/** A field that is undefined is omitted from the JSON text. */
export function encodeTry({ request, final }: ReserveTry): object {
  return {
    id: request.requestId,
    k: request.caller.keyId,
    o: request.caller.organizationId,
    u: request.caller.memberId,
    t: request.caller.sessionTokenId,
    a: request.amount.toString(),
    l: request.leastAmount?.toString(),
    f: final || request.grows || undefined,
    h: request.share?.toString(),
    q: request.premium || undefined,
    row: JSON.stringify(request.row),
  };
}

export function encodeGrowth({ requestId, amount, leastAmount }: GrowRequest): object {
  return { id: requestId, a: amount.toString(), l: leastAmount.toString() };
}

export function encodeSettlement({ settlement, subject, meters, lease }: OwnedSettlement): object {
  return {
    id: settlement.requestId,
    k: subject.keyId,
    o: subject.organizationId,
    u: subject.memberId,
    t: subject.sessionTokenId,
    q: subject.premium || undefined,
    n: settlement.unreached || undefined,
    s: settlement.standard || undefined,
    c: settlement.customer.toString(),
    d: settlement.beyondHold?.toString(),
    p: settlement.provider.toString(),
    e: settlement.estimated,
    m: meters,
    l: lease,
    row: settlement.row,
  };
}

function encodeProgress(progress: ReadonlyMap<string, Progress>): object {
  const entries = [...progress].map(([requestId, { customer, provider, row }]): [string, object] => [
    requestId,
    { c: customer.toString(), p: provider.toString(), row },
  ]);
  return Object.fromEntries(entries);
}

/** Records of the journal that are not settlements begin with their kind. */
const KINDS = ['progress', 'opened', 'owner'] as const;
export type RecordKind = (typeof KINDS)[number] | 'settlement';

export function kindOf(text: string): RecordKind {
  return KINDS.find((kind) => text.startsWith(`{"${kind}":`)) ?? 'settlement';
}

export function isSettlementRecord(text: string): boolean {
  return kindOf(text) === 'settlement';
}

export function encodeProgressRecord(progress: ReadonlyMap<string, Progress>): string {
  return JSON.stringify({ progress: encodeProgress(progress) });
}

/** A request that was admitted on a lease, with all that is needed should it never be settled. */
export function encodeOpened(
  request: HoldRequest,
  { epoch, lease }: { epoch: string; lease: Pick<Lease, 'id'> & Pick<OwnedSettlement, 'meters'> },
): string {
  const { caller, premium, row } = request;
  const opened = {
    id: request.requestId,
    w: epoch,
    k: caller.keyId,
    o: caller.organizationId,
    u: caller.memberId,
    t: caller.sessionTokenId,
    q: premium || undefined,
    c: '0',
    p: '0',
    e: true,
    m: lease.meters,
    l: lease.id,
    row,
  };
  return JSON.stringify({ opened });
}

/** A process with leases, and which start of the machine it ran in: after a power failure its last records may be missing. */
export function encodeOwner(epoch: string, boot: string): string {
  return JSON.stringify({ owner: epoch, boot });
}
