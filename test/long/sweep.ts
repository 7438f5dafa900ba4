import { AREAS, listArea } from '../support/mutants/areas.ts';
import { isEquivalent } from '../support/mutants/equivalents.ts';
import { findMutants, showDifference } from '../support/mutants/find-mutants.ts';
import { createSandbox } from '../support/mutants/sandbox.ts';
import { Sweep } from '../support/mutants/sweep.ts';
import { TypeChecker } from '../support/mutants/type-checker.ts';
import type { LongRun } from './long-run.ts';

export const runSweep: LongRun = {
  name: 'sweep',
  summary:
    'every fault that `mutants` can plant in the files of --only: lists those that the nearest tests do not notice',
  async run({ only, report }) {
    using sandbox = createSandbox();
    const sweep = new Sweep(sandbox, new TypeChecker(sandbox.path));
    const files = Object.values(AREAS)
      .flatMap((globs) => listArea(sandbox.path, globs))
      .filter((path) => only.split(',').some((part) => path.includes(part)));
    let [planted, unnoticed] = [0, 0];
    for (const path of files) {
      const text = sandbox.read(path);
      const mutants = findMutants(path, text).filter((mutant) => !isEquivalent(mutant, text));
      const left = await sweep.findUnnoticed(path, mutants);
      planted += mutants.length;
      unnoticed += left.length;
      report(`${path}: ${left.length} of ${mutants.length} not noticed`);
      for (const mutant of left)
        report(`  ${path}:${mutant.line} ${mutant.kind}\n${showDifference(text, mutant)}`);
    }
    return `${planted - unnoticed} of ${planted} faults noticed by the compiler or the nearest tests`;
  },
};
