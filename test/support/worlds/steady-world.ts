import { createSeededRandom } from '../seeded-random.ts';
import type { Mood, Period, World, WorldProvider } from './provider-world.ts';

const GOOD: Period = { mood: 'good', fromMs: 0, toMs: Infinity, degree: 0 };
const ORDINARY: WorldProvider = { id: '', firstMs: 500, perTokenMs: 10, periods: [GOOD] };

interface SteadyWorld {
  /** How each differs from an ordinary good one, from the cheapest to the most expensive. */
  providers: readonly Partial<WorldProvider>[];
  /** Mean time between two requests. */
  gapMs: number;
  endMs: number;
  draw: NonNullable<World['draw']>;
  patienceMs?: number;
}

/** A world in which requests come evenly and are of a certain kind. */
export function createSteadyWorld({ providers, gapMs, endMs, ...rest }: SteadyWorld): World {
  const random = createSeededRandom(7);
  const arrivalsMs: number[] = [];
  for (let atMs = 0; atMs < endMs; atMs += gapMs * (0.5 + random())) arrivalsMs.push(atMs);
  const named = providers.map((provider, place) => ({ ...ORDINARY, ...provider, id: `provider-${place}` }));
  return { seed: 7, providers: named, arrivalsMs, calmMs: 0, endMs, ...rest };
}

/** Good, except from one time to another. */
export function goodBut(mood: Mood, fromMs: number, toMs: number): Period[] {
  const bad: Period = { mood, fromMs, toMs, degree: 1 };
  return [{ ...GOOD, toMs: fromMs }, bad, { ...GOOD, fromMs: toMs }];
}
