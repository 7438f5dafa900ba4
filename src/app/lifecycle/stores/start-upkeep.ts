import type { Database } from '#storage';
import type { Log } from '#telemetry';
import type { StoreSettings } from '../../settings/store-settings.ts';
import { GatewayError, detailOf } from '#errors';
import { type LogLimits, LogUpkeep } from '#logs';

const UNLIMITED: LogLimits = { maxAgeDays: 36_500, maxBytes: Number.MAX_SAFE_INTEGER };

/** Starts the upkeep of the log. An unavailable database is reported elsewhere; the next pass retries. */
export function startUpkeep({ logLimits }: StoreSettings, database: Database, log: Log): LogUpkeep {
  const upkeep = new LogUpkeep({
    database,
    limits: logLimits ?? UNLIMITED,
    onFault: (error) => {
      if (error instanceof GatewayError && error.code === 'store_unavailable') return;
      log.error({ reason: detailOf(error) }, 'upkeep of the log');
    },
  });
  upkeep.start();
  return upkeep;
}
