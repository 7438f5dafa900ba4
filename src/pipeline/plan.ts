import type { ClientFormatId } from '#canonical';
import type { Mapping } from '#catalogue';
import type { Ports } from './ports.ts';
import { rankRoute } from '#routing';

/** Orders the mappings a request will be tried at. */
export function plan(ports: Ports, mappings: readonly Mapping[], format: ClientFormatId): Mapping[] {
  if (mappings.length === 1) return [...mappings];
  const preferredProviders = new Set<string>();
  for (const [id, provider] of ports.live().providers)
    if (provider.format.id === format) preferredProviders.add(id);
  return rankRoute(mappings, {
    health: ports.health.health,
    nowMs: ports.clock.monotonicMs(),
    preferredProviders,
  });
}
