import type { Mapping } from '#catalogue';

/** Until when each mapping is ranked last, by its health key; times on the monotonic clock. */
export type Health = ReadonlyMap<string, number>;

/** The name under which a mapping's health is kept: what fails with one credential may do with another. */
export function toHealthKey(
  { providerId, externalId }: Pick<Mapping, 'providerId' | 'externalId'>,
  credentialId?: string,
): string {
  const name = `${providerId}/${externalId}`;
  return credentialId === undefined ? name : `${name}@${credentialId}`;
}
