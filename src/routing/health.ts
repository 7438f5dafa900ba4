import type { Mapping } from '#catalogue';

/** Until when each mapping is ranked last, by its health key; times on the monotonic clock. */
export type Health = ReadonlyMap<string, number>;

/** The key of a mapping's health. Includes the credential, because one may fail where another works. */
export function toHealthKey(
  { providerId, externalId }: Pick<Mapping, 'providerId' | 'externalId'>,
  credentialId?: string,
): string {
  const name = `${providerId}/${externalId}`;
  return credentialId === undefined ? name : `${name}@${credentialId}`;
}
