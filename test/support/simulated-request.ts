import type { HoldRequest } from '../../src/accounts/ledger/ledger.ts';

/** A request of a simulation: its organization has one key. */
export interface SimulatedRequest {
  id: string;
  organization: number;
  amount: number;
  cost: number;
  /** From its hold to its settlement. */
  durationMs: number;
  /** It is sent on; `waitedMs` from its arrival. */
  onAdmitted(waitedMs: number, how: 'lease' | 'step'): void;
  onSettled(): void;
  /** The database took longer than its caller waits. */
  onUnavailable(): void;
  /** `isFinal`: only holds were in the way until the end of its patience. */
  onRefused(isFinal: boolean): void;
}

/** As the ledger's code takes it. */
export function toHoldRequest({ id, organization, amount }: SimulatedRequest): HoldRequest {
  const name = String(organization);
  const caller = { keyId: name, keyLabel: '', organizationId: name, projectId: '' };
  const row = { requestId: id, organizationId: name, projectId: '', keyId: name, finishReason: '' };
  return { requestId: id, caller, amount: BigInt(amount), row };
}
