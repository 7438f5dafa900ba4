import type { Clock, PicoUsd } from '#base';
import type { GatewayError } from '#errors';
import type { LedgerStore } from './ledger-store.ts';
import { createRefusal } from './refusal.ts';
import { createSilentHolder, withDeadline } from './store-fault.ts';
import type { MeterFigures } from './store-codec.ts';
import type { Subject } from './subject.ts';

interface RefusalPorts {
  store: Pick<LedgerStore, 'findPeriod'>;
  clock: Pick<Clock, 'now'>;
  storeLimitMs: number;
}

/**
 * Why a request gets no hold. Where its budget would do but for what a process holds that nobody hears of, that is not the
 * budget's fault: its money comes back.
 */
export async function explainNoHold(
  ports: RefusalPorts & { store: Pick<LedgerStore, 'findSilence'> },
  meter: MeterFigures,
  { missing, subject }: { missing: PicoUsd; subject: Subject },
): Promise<GatewayError> {
  const { store, storeLimitMs } = ports;
  const isHeld = meter.limit - meter.used >= missing;
  const silence =
    isHeld && (await withDeadline(store.findSilence(subject), storeLimitMs).catch(() => undefined));
  if (typeof silence === 'number') return createSilentHolder(silence);
  return explainRefusal(ports, meter, { missing, subject });
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
