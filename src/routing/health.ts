import type { Mapping } from '#catalogue';

/** Until when each mapping is ranked last, by `providerId/externalId`; times on the monotonic clock. */
export type Health = ReadonlyMap<string, number>;

/** The name under which a mapping's health is kept. */
export function toHealthKey(mapping: Pick<Mapping, 'providerId' | 'externalId'>): string {
  return `${mapping.providerId}/${mapping.externalId}`;
}
