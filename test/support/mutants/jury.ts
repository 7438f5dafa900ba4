import { type TestFacts, observe } from './coverage.ts';
import { type Mutant, plant, plantAll, showDifference } from './find-mutants.ts';
import { refusesLostAwait } from './linter.ts';
import { NearTests } from './near-tests.ts';
import type { Sandbox } from './sandbox.ts';
import { TypeChecker } from './type-checker.ts';

/** How many tests that run a fault are run for it alone, the nearest first. */
const MOST_ASKED = 20;
/** How many candidate tests are considered. */
const MOST_LOOKED_AT = 40;
/** Most test files take a second; one that does not end has noticed the fault. */
const TEST_LIMIT_MS = 300_000;
/** A test that takes this many times longer with the fault counts as not ending. */
const SLOWER = 10;
const LEAST_LIMIT_MS = 30_000;

export interface Verdict {
  mutant: Mutant;
  /** The line before and after. */
  shown: string;
  /** The test file that failed, or what else noticed the fault; absent if nothing did. */
  by: string | undefined;
  /** The test files that passed with the fault, or do not run it. */
  asked: Set<string>;
}

/** Decides whether the compiler, the linter or a test notices a fault. */
export class Jury {
  readonly #near: NearTests;
  readonly #types: TypeChecker;
  readonly #facts = new Map<string, Promise<TestFacts>>();

  constructor(root: string) {
    this.#near = new NearTests(root);
    this.#types = new TypeChecker(root);
  }

  /** Runs the compiler, the linter, then the nearest tests that run the fault, until one fails. */
  async judge(mutant: Mutant, sandbox: Sandbox): Promise<Verdict> {
    const text = sandbox.read(mutant.path);
    const shown = showDifference(text, mutant);
    const verdict: Verdict = { mutant, shown, by: undefined, asked: new Set() };
    if (!this.#types.accepts(mutant.path, plant(text, mutant))) return { ...verdict, by: 'the compiler' };
    if (await refusesLostAwait(mutant, sandbox)) return { ...verdict, by: 'the linter' };
    const places = this.#types.findPlaces(mutant);
    let asked = 0;
    for (const test of this.#near.find(mutant.path).slice(0, MOST_LOOKED_AT)) {
      if (asked >= MOST_ASKED) break;
      const { isSound, tookMs, runs } = await this.#observe(test, sandbox);
      const runsFault = places.some((place) => runs(place.path, place.at));
      if (isSound && runsFault) {
        asked += 1;
        const limitMs = Math.max(LEAST_LIMIT_MS, SLOWER * tookMs);
        if (await notices({ test, sandbox, limitMs }, [mutant])) return { ...verdict, by: test };
      }
      if (isSound) verdict.asked.add(test);
    }
    return verdict;
  }

  /**
   * Asks every other test that reaches a suspected survivor about all suspects at once, in each sandbox: most tests pass
   * with all of them. Only one that fails is asked about each alone.
   */
  async judgeAgain(
    suspects: readonly Verdict[],
    sandboxes: readonly Sandbox[],
    report: (verdict: Verdict) => void,
  ) {
    const reaching = new Map(
      suspects.map((verdict) => [verdict, new Set(this.#near.find(verdict.mutant.path))]),
    );
    const tests = new Set([...reaching.values()].flatMap((found) => [...found])).values();
    await Promise.all(
      sandboxes.map(async (sandbox) => {
        for (const test of tests) {
          const open = suspects.filter(
            (verdict) =>
              verdict.by === undefined && !verdict.asked.has(test) && reaching.get(verdict)?.has(test),
          );
          for (const verdict of await findNoticed(test, open, sandbox)) {
            verdict.by ??= test;
            report(verdict);
          }
          for (const { asked } of open) asked.add(test);
        }
      }),
    );
  }

  /** Runs each test once without a fault: one that fails then proves nothing. */
  #observe(test: string, sandbox: Sandbox): Promise<TestFacts> {
    const known = this.#facts.get(test) ?? observe(sandbox, test, TEST_LIMIT_MS);
    this.#facts.set(test, known);
    return known;
  }
}

/** Which faults a test notices. */
async function findNoticed(test: string, verdicts: readonly Verdict[], sandbox: Sandbox): Promise<Verdict[]> {
  const together = verdicts.map(({ mutant }) => mutant);
  const asked = { test, sandbox, limitMs: TEST_LIMIT_MS };
  if (verdicts.length === 0 || !(await notices(asked, together))) return [];
  const { code } = await sandbox.run(test, asked);
  if (code !== 0) return [];
  const noticed: Verdict[] = [];
  for (const verdict of verdicts) if (await notices(asked, [verdict.mutant])) noticed.push(verdict);
  return noticed;
}

interface Asked {
  test: string;
  sandbox: Sandbox;
  limitMs: number;
}

/** Whether a test fails twice with these faults: on a busy machine it may fail once for another reason. */
async function notices({ test, sandbox, limitMs }: Asked, mutants: readonly Mutant[]): Promise<boolean> {
  const texts = new Map(mutants.map(({ path }) => [path, sandbox.read(path)]));
  for (const [path, text] of texts) {
    const own = mutants.filter((mutant) => mutant.path === path);
    sandbox.write(path, plantAll(text, own));
  }
  const first = await sandbox.run(test, { limitMs });
  const second = first.code === 0 ? first : await sandbox.run(test, { limitMs });
  for (const [path, text] of texts) sandbox.write(path, text);
  return second.code !== 0;
}
