import { type Mutant, plant } from './find-mutants.ts';
import type { Sandbox } from './sandbox.ts';

const PROGRAM = 'node_modules/oxlint/bin/oxlint';
const LIMIT_MS = 120_000;
/** What these rules report is a promise that nothing awaits, not the look of a line. */
const RULES = /typescript\((?:no-floating-promises|no-misused-promises|return-await)\)/;

/** Whether the lint rules of `npm test` refuse a lost `await`. */
export async function refusesLostAwait(mutant: Mutant, sandbox: Sandbox): Promise<boolean> {
  if (mutant.kind !== 'await') return false;
  const text = sandbox.read(mutant.path);
  sandbox.write(mutant.path, plant(text, mutant));
  const args = ['--config', 'oxlint.config.js', mutant.path];
  const { code, stdout } = await sandbox.run(PROGRAM, { limitMs: LIMIT_MS, options: [], args });
  sandbox.write(mutant.path, text);
  return code !== 0 && RULES.test(stdout);
}
