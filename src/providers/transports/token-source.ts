import { type Clock, systemClock } from '#base';

/** An access token with its expiry. */
export interface Token {
  value: string;
  /** Milliseconds since the Unix epoch. */
  expiresAtMs: number;
}

/** A token is renewed this long before it expires, so that none expires during a request. */
const MARGIN_MS = 60_000;

/** Keeps a token until shortly before its expiry; requests without one share a single fetch. */
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
  /** Its expiry on the monotonic clock. */
  endsMs: number;
}

/** Checks both clocks: the system time may be set back, and the monotonic clock may stop while the machine sleeps. */
function isFresh({ expiresAtMs, endsMs }: KeptToken, clock: Clock): boolean {
  return expiresAtMs - MARGIN_MS > clock.now() && endsMs - MARGIN_MS > clock.monotonicMs();
}
