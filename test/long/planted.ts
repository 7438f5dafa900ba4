import { createSandbox } from '../support/mutants/sandbox.ts';
import { PLANTED, type PlantedDefect } from '../support/planted/planted-defects.ts';
import type { LongRun } from './long-run.ts';

const MATRIX = 'test/fault/matrix.system.test.ts';
const LIMIT_MS = 240_000;

export const runPlanted: LongRun = {
  name: 'planted',
  summary: `${PLANTED.length} defects planted in the path, each noticed by the matrix of faults or a test of routing; --only names some`,
  async run({ only, skip, count, report }) {
    const chosen = PLANTED.filter(({ name }) => name.includes(only)).slice(skip, count && skip + count);
    using sandbox = createSandbox();
    for (const { path, before } of PLANTED)
      if (sandbox.read(path).split(before).length !== 2) throw new Error(`${path} has not once: ${before}`);
    const run = async (test: Test): Promise<boolean> =>
      (await sandbox.run(test.file, { limitMs: LIMIT_MS, environment: test.environment })).code === 0;
    const sound = new Map<string, Promise<boolean>>();
    const missed: string[] = [];
    for (const defect of chosen) {
      const test = toTest(defect);
      const key = JSON.stringify(test);
      if (!sound.has(key)) sound.set(key, run(test));
      if (!(await sound.get(key))) throw new Error(`${key} fails without a defect`);
      const text = sandbox.read(defect.path);
      sandbox.write(
        defect.path,
        text.replace(defect.before, () => defect.after),
      );
      const isMissed = await run(test);
      sandbox.write(defect.path, text);
      if (isMissed) missed.push(defect.name);
      report(`${isMissed ? 'MISSED' : 'caught'}: ${defect.name}, by ${key}`);
    }
    if (missed.length > 0)
      throw new Error(`${missed.length} of ${chosen.length} not noticed: ${missed.join(', ')}`);
    return `${chosen.length} of ${chosen.length} defects noticed`;
  },
};

interface Test {
  file: string;
  environment: Record<string, string>;
}

function toTest({ by }: PlantedDefect): Test {
  return 'file' in by
    ? { file: by.file, environment: {} }
    : { file: MATRIX, environment: { FAULTS: by.faults } };
}
