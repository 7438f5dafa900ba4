import { type Clock, systemClock } from '#base';

/** A token that proves who asks, for as long as it lives. */
export interface Token {
  value: string;
  /** Milliseconds since the Unix epoch. */
  expiresAtMs: number;
}

/** A token is renewed this long before it ends, so that none ends under way. */
const MARGIN_MS = 60_000;

/** Keeps a token until it is about to end; requests that find none wait for one and the same fetch. */
export function createTokenSource(
  fetchToken: () => Promise<Token>,
  clock: Clock = systemClock,
): () => Promise<string> {
  let current: KeptToken | undefined;
  let fetching: Promise<Token> | undefined;
  const renew = async (): Promise<Token> => {
    try {
      const token = await fetchToken();
      current = { ...token, endsMs: clock.monotonicMs() + token.expiresAtMs - clock.now() };
      return token;
    } finally {
      fetching = undefined;
    }
  };
  return async () => {
    if (current && isFresh(current, clock)) return current.value;
    fetching ??= renew();
    return (await fetching).value;
  };
}

interface KeptToken extends Token {
  /** When it ends by the clock that nobody sets. */
  endsMs: number;
}

/** A clock that is set back must not keep a token alive, nor one that stands still while the machine sleeps. */
function isFresh({ expiresAtMs, endsMs }: KeptToken, clock: Clock): boolean {
  return expiresAtMs - MARGIN_MS > clock.now() && endsMs - MARGIN_MS > clock.monotonicMs();
}
