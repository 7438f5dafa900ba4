import { parseArgs } from 'node:util';
import { runCuts } from './cuts.ts';
import { runFuzz } from './fuzz.ts';
import type { LongRun } from './long-run.ts';

/** The long forms of tests that `npm test` runs in short. */
const RUNS: readonly LongRun[] = [runCuts, runFuzz];

const HELP = `Usage: npm run test:long -- <name> [options]

${RUNS.map(({ name, summary }) => `  ${name.padEnd(10)}${summary}`).join('\n')}

  --seed <n>     where chance begins (default: the clock); a run is repeated by its seed
  --count <n>    how many rounds, where the run counts them
  --help         this text

Exits with 1 where a promise is broken.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, count: { type: 'string' }, help: { type: 'boolean' } },
});

function toNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text.replaceAll(/[_,]/g, ''));
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${text} is no whole number`);
  return value;
}

function main(): number {
  const run = RUNS.find(({ name }) => name === positionals[0]);
  if (values.help === true || !run) {
    console.log(HELP);
    return values.help === true ? 0 : 1;
  }
  const seed = toNumber(values.seed) ?? Date.now() % 2 ** 31;
  console.log(`${run.name}, seed ${seed}`);
  const startedAt = performance.now();
  try {
    const figures = run.run({ seed, count: toNumber(values.count), report: (line) => console.log(line) });
    console.log(`✔ ${figures} in ${((performance.now() - startedAt) / 1000).toFixed(0)} s, seed ${seed}`);
    return 0;
  } catch (error) {
    console.error(`✖ ${error instanceof Error ? error.message : String(error)}\nseed ${seed}`);
    return 1;
  }
}

process.exitCode = main();
