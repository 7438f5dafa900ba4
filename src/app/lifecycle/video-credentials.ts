import type { Clock } from '#base';
import type { Mapping } from '#catalogue';
import type { Credential } from '#pipeline';
import type { HealthRegistry, MappingHealth } from '#routing';
import type { VideoCredentials } from '#videos';
import type { LiveConfiguration } from './configuration/live-configuration.ts';
import { DEFAULT_CREDENTIAL } from '#catalogue';
import { recordFailure, recordSuccess } from '#pipeline';
import { accountOf } from '#providers';
import { orderCredentials } from '#routing';

interface Parts {
  live: Pick<LiveConfiguration, 'current'>;
  health: HealthRegistry;
  clock: Pick<Clock, 'monotonicMs'>;
}

/** The credentials of videos, with the health that those of other requests have. */
export function createVideoCredentials({ live, health, clock }: Parts): VideoCredentials {
  const healthOf = (mapping: Mapping, { provider }: Credential): MappingHealth =>
    health.of(mapping, accountOf(provider));
  const poolOf = ({ providerId }: Mapping): readonly Credential[] => live.current.pools.get(providerId) ?? [];
  return {
    order: (mapping, seed) => {
      const nowMs = clock.monotonicMs();
      const ordered = orderCredentials(poolOf(mapping), {
        seed: `${seed} ${mapping.providerId}`,
        stateOf: (credential) => healthOf(mapping, credential).stateAt(nowMs),
      });
      return ordered.length === 0 ? [undefined] : ordered.map(({ name }) => toStoredName(name));
    },
    record: (mapping, credential, failure) => {
      const pool = poolOf(mapping);
      const used = pool.find(({ name }) => toStoredName(name) === credential);
      if (!used) return;
      const peers = pool.filter((one) => one !== used && one.address === used.address);
      const tried = {
        health: healthOf(mapping, used),
        peers: peers.map((one) => healthOf(mapping, one)),
      };
      const nowMs = clock.monotonicMs();
      const { isAdaptive } = live.current.routing;
      if (failure) recordFailure(tried, failure, { nowMs, startedMs: nowMs, isAdaptive });
      else recordSuccess(tried, { startedMs: nowMs });
    },
  };
}

function toStoredName(name: string): string | undefined {
  return name === DEFAULT_CREDENTIAL ? undefined : name;
}
