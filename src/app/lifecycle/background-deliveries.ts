import type { LogExports } from '#exports';
import type { HealthRegistry } from '#routing';
import type { Log } from '#telemetry';
import type { Settings } from '../settings/settings.ts';
import type { FeedFollower } from '../feed/follow-feed.ts';
import type { Stores } from './stores/stores.ts';
import { composeAlerts } from './compose-alerts.ts';
import { composeExports } from './compose-exports.ts';

/** What a gateway sends to the operator's own systems in the background. */
export interface BackgroundDeliveries {
  exports: Pick<LogExports, 'progress'>;
  /** Before the first request: what is sent from now on. */
  begin(settings: Pick<Settings, 'exports'>): Promise<void>;
  /** Applies a configuration. */
  replace(settings: Pick<Settings, 'exports' | 'alerts'>): void;
  close(): Promise<void>;
}

interface OutletParts {
  feed: Pick<FeedFollower, 'report'>;
  stores: Pick<Stores, 'database' | 'accounts'>;
  health: Pick<HealthRegistry, 'ofGateway'>;
  log: Log;
}

export function composeBackgroundDeliveries(parts: OutletParts): BackgroundDeliveries {
  const exports = composeExports(parts.stores, parts.log);
  const alerts = composeAlerts({ ...parts, exports });
  return {
    exports,
    begin: (settings) => exports.begin(settings.exports),
    replace: (settings) => {
      exports.replace(settings.exports);
      alerts.replace(settings.alerts);
    },
    close: async () => {
      await alerts.close();
      await exports.close();
    },
  };
}
