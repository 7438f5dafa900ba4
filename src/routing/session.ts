import type { Mapping } from '#catalogue';
import type { PicoUsd } from '#base';

/** The mapping that answered a session last, and the provider's account that did. */
type Home = Pick<Mapping, 'providerId' | 'externalId'> & { account?: string | undefined };

/** A session whose last prompt one mapping has in its cache, with the expected usage of its next request. */
export interface Session {
  home: Home;
  promptTokens: number;
  /** How many of these the mapping of the session has cached. */
  cachedTokens: number;
  outputTokens: number;
}

export function isHome({ home }: Session, { providerId, externalId }: Mapping): boolean {
  return home.providerId === providerId && home.externalId === externalId;
}

/** The session, if the account that has its prompt cached is called first of its provider's. */
export function findCached(
  session: Session | undefined,
  mappings: readonly Mapping[],
  accountOf: (mapping: Mapping) => string | undefined,
): Session | undefined {
  const home = session && mappings.find((mapping) => isHome(session, mapping));
  return home && accountOf(home) !== session.home.account ? undefined : session;
}

/** What the next request of a session is expected to cost at a mapping; at its home, its cached tokens cost less. Pure. */
export function estimateCost(session: Session, mapping: Mapping): PicoUsd {
  const { price } = mapping;
  if (!price) return 0n;
  const { inputUncached, inputCacheRead, outputText } = price.parts;
  const cached = isHome(session, mapping) ? Math.min(session.cachedTokens, session.promptTokens) : 0;
  return (
    BigInt(Math.round(session.promptTokens) - Math.round(cached)) * inputUncached +
    BigInt(Math.round(cached)) * inputCacheRead +
    BigInt(Math.round(session.outputTokens)) * outputText
  );
}
