import { globSync } from 'node:fs';
import { EQUIVALENTS } from '../support/mutants/equivalents.ts';
import { type Mutant, findMutants, plant, showDifference } from '../support/mutants/find-mutants.ts';
import { type Sandbox, createSandbox } from '../support/mutants/sandbox.ts';
import { NearTests } from '../support/mutants/near-tests.ts';
import { createSeededRandom } from '../support/seeded-random.ts';
import type { LongRun } from './long-run.ts';

const MUTANTS = 200;
const LEAST_KILLED = 0.95;

/** Where faults are planted: as many in each area, however large it is. */
const AREAS: Record<string, readonly string[]> = {
  money: [
    'src/base/money.ts',
    'src/accounts/{ledger,plans}/**/*.ts',
    'src/canonical/usage.ts',
    'src/catalogue/{price,unit-price}.ts',
    'src/pipeline/{admit,admit-medium,meter,medium-meter,settle,price-quantity}.ts',
  ],
  limits: ['src/accounts/{limits,members,rules,sessions}/**/*.ts', 'src/pipeline/{limit,permit}.ts'],
  routing: ['src/routing/**/*.ts', 'src/pipeline/{attempt,plan,resolve,try-route,health-book,fan-out}.ts'],
  wire: ['src/wire/**/*.ts'],
};

/** The nearest tests are asked one after the other until one fails; a fault that outlives so many has survived. */
const MOST_ASKED = 40;
/** Most test files take a second; one that does not end has noticed, too. */
const TEST_LIMIT_MS = 120_000;

interface Verdict {
  mutant: Mutant;
  /** The test file that failed, or what else told; none where the fault survived. */
  by: string | undefined;
  /** How many test files were asked, of how many that reach the file. */
  asked: string;
}

export const runMutants: LongRun = {
  name: 'mutants',
  summary: `${MUTANTS} random faults planted in money, limits, routing and wire: the tests notice at least ${LEAST_KILLED * 100} %`,
  async run({ seed, count = MUTANTS, report }) {
    using sandbox = createSandbox();
    const areas = Object.values(AREAS).map((globs) => list(sandbox, globs));
    const jury = new Jury(sandbox);
    const mutants = choose(sandbox, areas, { seed, count });
    const verdicts: Verdict[] = [];
    for (const mutant of mutants) {
      const verdict = await jury.judge(mutant);
      verdicts.push(verdict);
      report(`${verdicts.length}/${mutants.length} ${describe(verdict, sandbox)}`);
    }
    return sumUp(verdicts);
  },
};

function list(sandbox: Sandbox, globs: readonly string[]): string[] {
  return globs
    .flatMap((glob) => globSync(glob, { cwd: sandbox.path }))
    .filter((file) => !file.endsWith('.test.ts'))
    .sort();
}

interface Choice {
  seed: number;
  count: number;
}

/** Of each area in turn one of its faults, none twice, none that changes nothing. */
function choose(sandbox: Sandbox, areas: readonly string[][], { seed, count }: Choice): Mutant[] {
  const random = createSeededRandom(seed);
  const pools = areas.map((files) =>
    files.flatMap((file) => {
      const text = sandbox.read(file);
      return findMutants(file, text).filter((mutant) => !isEquivalent(mutant, text));
    }),
  );
  const chosen: Mutant[] = [];
  for (let turn = 0; chosen.length < count && pools.some((pool) => pool.length > 0); turn += 1) {
    const pool = pools[turn % pools.length] ?? [];
    chosen.push(...pool.splice(Math.floor(random() * pool.length), 1));
  }
  return chosen;
}

function isEquivalent(mutant: Mutant, text: string): boolean {
  const shown = showDifference(text, mutant);
  return EQUIVALENTS.some(
    ({ path, before, after }) => path === mutant.path && shown === `    - ${before}\n    + ${after}`,
  );
}

/** The tests, as those who tell whether there is a fault. */
class Jury {
  readonly #sandbox: Sandbox;
  readonly #near: NearTests;
  /** Whether a test passes where there is no fault; one that does not tells nothing. */
  readonly #sound = new Map<string, boolean>();

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
    this.#near = new NearTests(sandbox.path);
  }

  async judge(mutant: Mutant): Promise<Verdict> {
    const tests = this.#near.find(mutant.path);
    const text = this.#sandbox.read(mutant.path);
    const spoilt = plant(text, mutant);
    let asked = 0;
    const tell = (by: string | undefined): Verdict => ({ mutant, by, asked: `${asked} of ${tests.length}` });
    for (const test of tests.slice(0, MOST_ASKED)) {
      asked += 1;
      this.#sandbox.write(mutant.path, spoilt);
      const { code, late } = await this.#sandbox.run(test, TEST_LIMIT_MS);
      this.#sandbox.write(mutant.path, text);
      if (code !== 0 && (await this.#isSound(test))) return tell(late ? `${test}, which did not end` : test);
    }
    this.#sandbox.write(mutant.path, spoilt);
    const compiles = await this.#sandbox.compiles();
    this.#sandbox.write(mutant.path, text);
    return tell(compiles ? undefined : 'the compiler');
  }

  async #isSound(test: string): Promise<boolean> {
    const isSound = this.#sound.get(test) ?? (await this.#sandbox.run(test, TEST_LIMIT_MS)).code === 0;
    this.#sound.set(test, isSound);
    return isSound;
  }
}

function describe({ mutant, by, asked }: Verdict, sandbox: Sandbox): string {
  const { path, line, kind } = mutant;
  const fate = by === undefined ? `SURVIVED, asked ${asked} test files` : `killed by ${by}`;
  const shown = showDifference(sandbox.read(path), mutant);
  return `${path}:${line} ${kind}, ${fate}\n${shown}`;
}

function sumUp(verdicts: readonly Verdict[]): string {
  const survivors = verdicts.filter(({ by }) => by === undefined);
  const share = (verdicts.length - survivors.length) / Math.max(1, verdicts.length);
  const figures = `${verdicts.length - survivors.length} of ${verdicts.length} faults noticed (${(100 * share).toFixed(1)} %)`;
  if (share >= LEAST_KILLED) return figures;
  const places = survivors.map(({ mutant: { path, line, kind } }) => `  ${path}:${line} ${kind}`);
  throw new Error(`${figures}; not noticed:\n${places.join('\n')}`);
}
