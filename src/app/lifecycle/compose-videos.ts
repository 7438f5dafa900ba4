import type { Clock } from '#base';
import type { Telemetry } from '#telemetry';
import type { Videos } from '#videos';
import type { Live } from './live.ts';
import type { Stores } from './stores.ts';
import { systemChance } from '#base';
import { createNoticeSender } from '#providers';
import { createVideos } from '#videos';

interface VideoParts {
  stores: Pick<Stores, 'database' | 'accounts' | 'secret'>;
  live: Live;
  clock: Clock;
  telemetry: Telemetry;
  /** Whether this process owns its database. */
  exclusive: boolean;
  onFault(error: unknown): void;
}

/** Videos on the stores and the providers of a gateway. */
export function composeVideos({ stores, live, ...parts }: VideoParts): Videos {
  const { database, accounts, secret } = stores;
  return createVideos({
    ...parts,
    database,
    accounts,
    secret,
    chance: systemChance,
    notices: createNoticeSender(),
    live: () => live.current,
    findOwnSource: async (organizationId) => {
      const byok = await accounts.findByok(organizationId);
      return byok && live.of({ byok });
    },
  });
}
