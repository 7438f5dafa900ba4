import type { Standing } from './mapping-health.ts';
import { toShare } from './share.ts';

/** What an order of credentials is made of. */
interface Weighted {
  name: string;
  /** Its share of the requests; 0: only if no other can be used. */
  weight: number;
}

interface OrderFacts<C> {
  /** Requests with the same seed get the same order, so that a session stays where its prompts are cached. */
  seed: string;
  standingOf(credential: C): Standing;
}

const RANKS: Record<Standing, number> = { due: 0, healthy: 0, poor: 1, closed: 2 };
/**
 * Orders the credentials of a provider for one request: those in good health first, and of these each comes first as
 * often as its weight says. Pure.
 */
export function orderCredentials<C extends Weighted>(
  credentials: readonly C[],
  { seed, standingOf }: OrderFacts<C>,
): C[] {
  const drawn = credentials.map((credential) => ({
    credential,
    rank: RANKS[standingOf(credential)],
    draw: draw(seed, credential),
  }));
  return drawn.toSorted((a, b) => a.rank - b.rank || a.draw - b.draw).map(({ credential }) => credential);
}

/** The time until an event that comes `weight` times as often: the least of all is each one's by its weight. */
export function draw(seed: string, { name, weight }: Pick<Weighted, 'name' | 'weight'>): number {
  return weight > 0 ? -Math.log(toShare(`${seed} ${name}`)) / weight : Infinity;
}
