import type { Mapping } from '#catalogue';
import type { Session, Standing } from '#routing';
import type { Settings } from '../settings/settings.ts';
import { DEFAULT_CREDENTIAL } from '#catalogue';
import { isHome, orderCredentials } from '#routing';

/** A credential to call a provider with. */
export interface Way {
  account: string | undefined;
  credential: string | null;
  weight: number | null;
}

interface WayFacts {
  standingOf(way: Way): Standing;
  /** Where the session's prompt is cached. */
  home: Session['home'] | undefined;
}

/** The credentials of a mapping's provider, those in good health first. */
export function listWays(
  { credentialPools }: Settings,
  { providerId }: Mapping,
  { standingOf, home }: WayFacts,
): Way[] {
  const pool = credentialPools.get(providerId);
  if (!pool) return [{ account: undefined, credential: null, weight: null }];
  const ways = pool.map(({ name, weight }) => {
    const account = toAccount(name);
    return { name, account, weight, way: { account, credential: name, weight } };
  });
  const ordered = orderCredentials(ways, { seed: '', standingOf: (one) => standingOf(one.way), home });
  return ordered.map(({ way }) => way);
}

/** The session, if the credential that has its prompt cached is called first of its provider's. */
export function findCached(
  session: Session | undefined,
  mappings: readonly Mapping[],
  waysOf: (mapping: Mapping) => readonly Way[],
): Session | undefined {
  const home = session && mappings.find((mapping) => isHome(session, mapping));
  return home && waysOf(home)[0]?.account !== session.home.account ? undefined : session;
}

/** The account of a credential as rows name it. */
export function toAccount(credential: string | null): string | undefined {
  return credential === null || credential === DEFAULT_CREDENTIAL || credential === 'own'
    ? undefined
    : credential;
}
