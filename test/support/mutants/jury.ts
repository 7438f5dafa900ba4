import { type TestFacts, observe } from './coverage.ts';
import { type Mutant, plant } from './find-mutants.ts';
import { NearTests } from './near-tests.ts';
import type { Sandbox } from './sandbox.ts';
import { TypeChecker } from './type-checker.ts';

/** Of the tests that run the place of a fault so many are asked; one that outlives them has survived. */
const MOST_ASKED = 30;
/** Of the tests that could, so many are looked at. */
const MOST_LOOKED_AT = 60;
/** Most test files take a second; one that does not end has noticed, too. */
const TEST_LIMIT_MS = 300_000;
/** A test that takes so many times as long with the fault does not end. */
const SLOWER = 10;
const LEAST_LIMIT_MS = 30_000;

export interface Verdict {
  mutant: Mutant;
  /** The test file that failed, or what else noticed; absent where the fault survived. */
  by: string | undefined;
  /** Which test files were asked. */
  asked: string;
}

/** Decides whether the compiler or a test notices a fault. */
export class Jury {
  readonly #near: NearTests;
  readonly #types: TypeChecker;
  readonly #facts = new Map<string, Promise<TestFacts>>();

  constructor(root: string) {
    this.#near = new NearTests(root);
    this.#types = new TypeChecker(root);
  }

  /** Asks the compiler, and then each test that runs the place of the fault, the nearest first, until one fails. */
  async judge(mutant: Mutant, sandbox: Sandbox): Promise<Verdict> {
    const { path, runsFrom } = mutant;
    const text = sandbox.read(path);
    const damaged = plant(text, mutant);
    let asked = 0;
    const decide = (by: string | undefined): Verdict => ({ mutant, by, asked: `${asked} that run it` });
    if (!this.#types.accepts(path, damaged)) return decide('the compiler');
    for (const test of this.#near.find(path).slice(0, MOST_LOOKED_AT)) {
      if (asked >= MOST_ASKED) break;
      const { isSound, tookMs, runs } = await this.#observe(test, sandbox);
      if (!isSound || !runs(path, runsFrom)) continue;
      asked += 1;
      sandbox.write(path, damaged);
      const limitMs = Math.max(LEAST_LIMIT_MS, SLOWER * tookMs);
      const { code, late } = await sandbox.run(test, { limitMs });
      sandbox.write(path, text);
      if (code !== 0) return decide(late ? `${test}, which did not end` : test);
    }
    return decide(undefined);
  }

  /** Each test runs once without a fault: one that fails then shows nothing. */
  #observe(test: string, sandbox: Sandbox): Promise<TestFacts> {
    const known = this.#facts.get(test) ?? observe(sandbox, test, TEST_LIMIT_MS);
    this.#facts.set(test, known);
    return known;
  }
}
