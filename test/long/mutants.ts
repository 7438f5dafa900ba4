import { AREAS, listArea } from '../support/mutants/areas.ts';
import { isEquivalent } from '../support/mutants/equivalents.ts';
import { type Mutant, findMutants } from '../support/mutants/find-mutants.ts';
import { type Sandbox, createSandbox } from '../support/mutants/sandbox.ts';
import { Jury, type Verdict } from '../support/mutants/jury.ts';
import { createSeededRandom } from '../support/seeded-random.ts';
import type { LongRun } from './long-run.ts';

const MUTANTS = 200;
const LEAST_KILLED = 0.95;
/** Half of most tests is waiting. */
const AT_ONCE = 2;

export const runMutants: LongRun = {
  name: 'mutants',
  summary: `${MUTANTS} random faults planted in money, limits, routing and wire: the tests notice at least ${LEAST_KILLED * 100} %`,
  async run({ seed, count = MUTANTS, skip, only, report }) {
    const sandboxes = Array.from({ length: AT_ONCE }, createSandbox);
    try {
      const [sandbox] = sandboxes as [Sandbox];
      const areas = Object.values(AREAS).map((globs) =>
        listArea(sandbox.path, globs).filter((path) => path.includes(only)),
      );
      const mutants = choose(sandbox, areas, { seed, count }).slice(skip);
      const jury = new Jury(sandbox.path);
      const verdicts: Verdict[] = [];
      const left = mutants.values();
      const note = (verdict: Verdict): void => {
        const open = verdicts.filter(({ by }) => by === undefined).length;
        report(`${verdicts.length}/${mutants.length}, ${open} not noticed: ${describe(verdict)}`);
      };
      const judge = async (own: Sandbox): Promise<void> => {
        for (const mutant of left) {
          const verdict = await jury.judge(mutant, own);
          verdicts.push(verdict);
          note(verdict);
        }
      };
      await Promise.all(sandboxes.map(judge));
      const suspects = verdicts.filter(({ by }) => by === undefined);
      report(`${suspects.length} not noticed by the nearest tests; asking all others`);
      await jury.judgeAgain(suspects, sandboxes, note);
      return sumUp(verdicts);
    } finally {
      for (const sandbox of sandboxes) sandbox[Symbol.dispose]();
    }
  },
};

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

function describe({ mutant: { path, line, kind }, shown, by, asked }: Verdict): string {
  const fate = by === undefined ? `SURVIVED ${asked.size} test files so far` : `killed by ${by}`;
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
