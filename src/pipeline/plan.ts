import type { ClientFormatId } from '#canonical';
import type { Mapping } from '#catalogue';
import type { Ports } from './ports.ts';
import { rankRoute } from '#routing';

/** Orders the mappings a request will be tried at. */
export function plan(ports: Ports, mappings: readonly Mapping[], format: ClientFormatId): Mapping[] {
  if (mappings.length === 1) return [...mappings];
  return rankRoute(mappings, { health: ports.health.health, nowMs: ports.clock.monotonicMs(), format });
}
