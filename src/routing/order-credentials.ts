import type { HealthState } from './mapping-health.ts';
import { toShare } from './share.ts';

/** What an order of credentials is made of. */
interface Weighted {
  name: string;
  /** The account it belongs to (`accountOf`). */
  account?: string | undefined;
  /** Its share of the requests; 0: only if no other can be used. */
  weight: number;
}

interface OrderFacts<C> {
  /** Requests with the same seed get the same order, so that a session stays where its prompts are cached. */
  seed: string;
  stateOf(credential: C): HealthState;
  /** Where the session's prompt is cached. */
  home?: { account?: string | undefined } | undefined;
}

const RANKS: Record<HealthState, number> = { due: 0, healthy: 0, poor: 1, closed: 2 };
/** Less than any draw. */
const FIRST = -1;

/**
 * Orders the credentials of a provider for one request: healthy ones first, of these the one with the cached prompt, then
 * the others as often as their weights say. Weight 0 stays last. Pure.
 */
export function orderCredentials<C extends Weighted>(
  credentials: readonly C[],
  { seed, stateOf, home }: OrderFacts<C>,
): C[] {
  const isHome = ({ account, weight }: C): boolean =>
    home !== undefined && home.account === account && weight > 0;
  const drawn = credentials.map((credential) => ({
    credential,
    rank: RANKS[stateOf(credential)],
    draw: isHome(credential) ? FIRST : draw(seed, credential),
  }));
  return drawn.toSorted((a, b) => a.rank - b.rank || a.draw - b.draw).map(({ credential }) => credential);
}

/** Draws an exponential time with the rate `weight`: the smallest of several wins in proportion to its weight. */
export function draw(seed: string, { name, weight }: Pick<Weighted, 'name' | 'weight'>): number {
  return weight > 0 ? -Math.log(toShare(`${seed} ${name}`)) / weight : Infinity;
}
