import type { Mapping } from '#catalogue';
import type { HealthState, Session } from '#routing';
import type { Settings } from '../settings/settings.ts';
import { DEFAULT_CREDENTIAL } from '#catalogue';
import { orderCredentials } from '#routing';

/** A credential to call a provider with. */
export interface CredentialChoice {
  account: string | undefined;
  credential: string | null;
  weight: number | null;
}

interface CredentialFacts {
  stateOf(choice: CredentialChoice): HealthState;
  /** Where the session's prompt is cached. */
  home: Session['home'] | undefined;
}

/** The credentials of a mapping's provider, those in good health first. */
export function listCredentials(
  { credentialPools }: Settings,
  { providerId }: Mapping,
  { stateOf, home }: CredentialFacts,
): CredentialChoice[] {
  const pool = credentialPools.get(providerId);
  if (!pool) return [{ account: undefined, credential: null, weight: null }];
  const choices = pool.map(({ name, weight }) => {
    const account = toAccount(name);
    return { name, account, weight, choice: { account, credential: name, weight } };
  });
  const ordered = orderCredentials(choices, { seed: '', stateOf: (one) => stateOf(one.choice), home });
  return ordered.map(({ choice }) => choice);
}

/** The account of a credential as rows name it. */
export function toAccount(credential: string | null): string | undefined {
  return credential === null || credential === DEFAULT_CREDENTIAL || credential === 'own'
    ? undefined
    : credential;
}
