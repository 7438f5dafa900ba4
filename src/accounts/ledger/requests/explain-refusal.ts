import type { Clock, PicoUsd } from '#base';
import type { GatewayError } from '#errors';
import type { LedgerStore } from '../store/ledger-store.ts';
import { createRefusal } from './refusal.ts';
import { findSilentHolder } from './silent-holder.ts';
import { withDeadline } from '../store/store-fault.ts';
import type { MeterFigures } from '../store/store-codec.ts';
import type { Subject } from '../../meters/subject.ts';

interface RefusalPorts {
  store: Pick<LedgerStore, 'findPeriod'>;
  clock: Pick<Clock, 'now'>;
  storeLimitMs: number;
}

/** Why a request gets no hold: that a process does not answer, rather than the limit, where that would do. */
export async function explainNoHold(
  ports: RefusalPorts & { store: Pick<LedgerStore, 'findSilent'> },
  meter: MeterFigures,
  { missing, subject }: { missing: PicoUsd; subject: Subject },
): Promise<GatewayError> {
  const finding = findSilentHolder(ports.store, { meter, missing, subject });
  const silent = await withDeadline(finding, ports.storeLimitMs).catch(() => undefined);
  return silent ?? explainRefusal(ports, meter, { missing, subject });
}

/** A refusal without the name of the period is better than none, so a failed query is ignored. */
export async function explainRefusal(
  { store, clock, storeLimitMs }: RefusalPorts,
  meter: MeterFigures,
  { missing, subject }: { missing: PicoUsd; subject: Subject | undefined },
): Promise<GatewayError> {
  const period = subject && store.findPeriod(meter.kind, subject);
  return createRefusal(meter, {
    missing,
    period: period && (await withDeadline(period, storeLimitMs).catch(() => undefined)),
    nowMs: clock.now(),
  });
}
