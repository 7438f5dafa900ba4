import type { Clock } from '#base';
import type { Telemetry } from '#telemetry';
import type { Videos } from '#videos';
import type { HealthRegistry } from '#routing';
import type { LiveConfiguration } from './configuration/live-configuration.ts';
import type { Stores } from './stores/stores.ts';
import { systemRandom } from '#base';
import { createNoticeSender } from '#providers';
import { createVideos } from '#videos';
import { createVideoCredentials } from './video-credentials.ts';

interface VideoParts {
  stores: Pick<Stores, 'database' | 'accounts' | 'secret'>;
  live: LiveConfiguration;
  clock: Clock;
  telemetry: Telemetry;
  health: HealthRegistry;
  /** Whether this process owns its database. */
  exclusive: boolean;
  onFault(error: unknown): void;
}

/** Videos on the stores and the providers of a gateway. */
export function composeVideos({ stores, live, health, ...parts }: VideoParts): Videos {
  const { database, accounts, secret } = stores;
  return createVideos({
    ...parts,
    database,
    accounts,
    secret,
    random: systemRandom,
    notices: createNoticeSender(),
    live: () => live.current,
    credentials: createVideoCredentials({ live, health, clock: parts.clock }),
    findOwnSource: async (organizationId) => {
      const byok = await accounts.findByok(organizationId);
      return byok && live.of({ byok });
    },
  });
}
