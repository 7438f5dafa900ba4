import type { Alerts, Condition } from '#alerts';
import type { LogExports } from '#exports';
import type { HealthRegistry } from '#routing';
import type { Log } from '#telemetry';
import type { FeedFollower } from '../feed/follow-feed.ts';
import type { Stores } from './stores/stores.ts';
import { createAlerts } from '#alerts';
import { systemRandom, systemClock } from '#base';
import { createNoticeSender } from '#providers';
import { listFeedConditions } from '../feed/feed-conditions.ts';

interface AlertSources {
  stores: Pick<Stores, 'database' | 'accounts'>;
  health: Pick<HealthRegistry, 'ofGateway'>;
  exports: Pick<LogExports, 'progress'>;
  feed: Pick<FeedFollower, 'report'>;
  log: Log;
}

/** Attempts after which an export counts as failed: several seconds, so not for a receiver that restarts. */
const MOST_FAILURES = 4;

/** Alerts on what a gateway knows. */
export function composeAlerts({ stores, health, exports, feed, log }: AlertSources): Alerts {
  const sender = createNoticeSender();
  const alerts = createAlerts({
    database: stores.database,
    clock: systemClock,
    random: systemRandom,
    log,
    conditions: () => [
      ...listOutages(health),
      ...listFailedExports(exports),
      ...listFeedConditions(feed.report),
    ],
    checkLedger: async () => (await stores.accounts.ledger.check()).map((difference) => ({ ...difference })),
    post: sender.post,
  });
  return {
    ...alerts,
    close: async () => {
      const closed = alerts.close();
      await sender.close(); // ends deliveries in progress, which are repeated later
      await closed;
    },
  };
}

function listFailedExports({ progress }: AlertSources['exports']): Condition[] {
  return [...progress]
    .filter(([, { failures }]) => failures >= MOST_FAILURES)
    .map(([name, { type, failures, lastError = '' }]) => ({
      name: `export/${name}`,
      begins: 'export.failing',
      ends: 'export.recovered',
      data: { export: name, type, failures, error: lastError },
    }));
}

/** Providers of which every call of a model by the gateway's credentials has failed lately, until one succeeds. */
function listOutages(health: AlertSources['health']): Condition[] {
  const models = new Map<string, Set<string>>();
  for (const [name, one] of health.ofGateway) {
    if (!one.isFailing) continue;
    const [, provider = name, model = ''] = /^([^/]*)\/(.*)@[^@]*$/.exec(name) ?? [];
    models.set(provider, (models.get(provider) ?? new Set()).add(model));
  }
  return [...models].map(([provider, failing]) => ({
    name: `provider/${provider}`,
    begins: 'provider.outage',
    ends: 'provider.recovered',
    data: { provider, models: [...failing].sort() },
  }));
}
