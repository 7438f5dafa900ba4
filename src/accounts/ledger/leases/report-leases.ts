import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#base';
import type { Queryable } from '#storage';

interface ReportPorts {
  database: Queryable;
  clock: Clock;
}

/** Running gateways report within milliseconds, busy ones later; one without a heartbeat for seconds does not run. */
const WITHIN_MS = 10_000;
const POLL_MS = 20;

const ASK = `SELECT clock_timestamp()::text AS since, pg_notify('sluice_accounts', 'lease report')::text`;
const IS_BEHIND = `
  SELECT EXISTS (
    SELECT FROM hold h JOIN owner o ON o.epoch = h.owner_epoch
    WHERE h.lease AND h.created_at < $1::timestamptz AND o.heartbeat_at > clock_timestamp() - interval '5 seconds'
  ) AS behind`;

/**
 * Asks all running gateways to write their settlements on leases; returns whether all have. Later settlements may be
 * missing.
 */
export async function reportLeases({ database, clock }: ReportPorts): Promise<boolean> {
  const { rows } = await database.query<{ since: string }>({ text: ASK });
  const untilMs = clock.monotonicMs() + WITHIN_MS;
  for (;;) {
    const found = await database.query<{ behind: boolean }>({ text: IS_BEHIND, values: [rows[0]?.since] });
    if (found.rows[0]?.behind !== true) return true;
    if (clock.monotonicMs() > untilMs) return false;
    await sleep(POLL_MS);
  }
}
