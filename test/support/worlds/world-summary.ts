import { createWorld } from './provider-world.ts';
import { findBroken, measureWorld } from './world-laws.ts';
import { runWorld } from './world-run.ts';

interface WorldsPlan {
  /** The seed of the first world; each next has the next. */
  seed: number;
  count: number;
  onWorld?(done: number, broken: readonly string[]): void;
}

interface WorldsSummary {
  /** Broken laws, each with the seed of its world. */
  broken: string[];
  text: string;
}

/** Runs many worlds; the same seeds give the same figures. */
export async function summarizeWorlds({ seed, count, onWorld }: WorldsPlan): Promise<WorldsSummary> {
  const broken: string[] = [];
  const sums = { requests: 0, calls: 0, answered: 0 };
  let mostCalls = 0;
  for (let done = 0; done < count; done += 1) {
    const world = createWorld(seed + done);
    const requests = await runWorld(world);
    const found = findBroken(world, requests).map((law) => `world ${world.seed}: ${law}`);
    broken.push(...found);
    const figures = measureWorld(world, requests);
    sums.requests += figures.requests;
    sums.calls += figures.calls;
    sums.answered += figures.success * figures.requests;
    mostCalls = Math.max(mostCalls, figures.calls / figures.requests);
    onWorld?.(done + 1, found);
  }
  const share = ((100 * sums.answered) / sums.requests).toFixed(1);
  const text =
    `${count} worlds, ${sums.requests} requests, ${share} % answered, ${(sums.calls / sums.requests).toFixed(3)} calls per request ` +
    `(in no world more than ${mostCalls.toFixed(2)})`;
  return { broken, text };
}
