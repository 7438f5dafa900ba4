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
  clock: Pick<Clock, 'now'> = systemClock,
): () => Promise<string> {
  let current: Token | undefined;
  let fetching: Promise<Token> | undefined;
  const renew = async (): Promise<Token> => {
    try {
      current = await fetchToken();
      return current;
    } finally {
      fetching = undefined;
    }
  };
  return async () => {
    if (current && current.expiresAtMs - MARGIN_MS > clock.now()) return current.value;
    fetching ??= renew();
    return (await fetching).value;
  };
}
