import { reasonOf } from '#base';
import { parseArgs } from 'node:util';
import { runAgents } from './agents.ts';
import { runCuts } from './cuts.ts';
import { runDashboard } from './dashboard.ts';
import { runExports } from './exports.ts';
import { runFaults } from './faults.ts';
import { runFuzzBodies } from './fuzz-bodies.ts';
import { runFuzz } from './fuzz.ts';
import { runHostileBodies } from './hostile.ts';
import { runIdentity } from './identity.ts';
import { runIncidents } from './incidents.ts';
import { runKills, runReplicas } from './kills.ts';
import { runLastCent } from './last-cent.ts';
import { runLeavers } from './leavers.ts';
import { runMoves } from './move.ts';
import { runMutants } from './mutants.ts';
import { runOutage } from './outage.ts';
import { runPlanted } from './planted.ts';
import { runPower } from './power.ts';
import { runRecall } from './recall.ts';
import { runReaders } from './readers.ts';
import { runRestarts } from './restarts.ts';
import { runRollingRestarts } from './rolling.ts';
import { runUpgrades } from './upgrade.ts';
import { runRoute } from './route.ts';
import { runScale } from './scale.ts';
import { runSweep } from './sweep.ts';
import { runSchedules } from './schedules.ts';
import { runWorlds } from './worlds.ts';
import type { LongRun } from './long-run.ts';

/** Long forms of tests that `npm test` runs briefly. */
const RUNS: readonly LongRun[] = [
  runCuts,
  runFuzz,
  runFuzzBodies,
  runKills,
  runReplicas,
  runLastCent,
  runRecall,
  runPower,
  runLeavers,
  runIdentity,
  runSchedules,
  runScale,
  runRestarts,
  runOutage,
  runReaders,
  runMutants,
  runSweep,
  runHostileBodies,
  runAgents,
  runRoute,
  runWorlds,
  runIncidents,
  runFaults,
  runPlanted,
  runRollingRestarts,
  runUpgrades,
  runMoves,
  runExports,
  runDashboard,
];

const HELP = `Usage: npm run test:long -- <name> [options]

${RUNS.map(({ name, summary }) => `  ${name.padEnd(13)}${summary}`).join('\n')}

  --seed <n>     where chance begins (default: the clock); a run is repeated by its seed
  --count <n>    how many of what the run counts, for a shorter or a longer one
  --skip <n>     mutants: leave out the first faults, to continue a run that was ended
  --only <path>  mutants: faults only in files whose path contains this; sweep: one of these, by commas;
                 route, faults, planted: only these faults; hostile: bodies whose name contains this;
                 upgrade: this revision instead
  --seconds <n>  route, rolling: how long each fault is measured
  --help         this text

Exits with 1 where a promise is broken.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    count: { type: 'string' },
    skip: { type: 'string' },
    only: { type: 'string' },
    seconds: { type: 'string' },
    help: { type: 'boolean' },
  },
});

function toNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text.replaceAll(/[_,]/g, ''));
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${text} is not a whole number`);
  return value;
}

async function main(): Promise<number> {
  const run = RUNS.find(({ name }) => name === positionals[0]);
  if (values.help === true || !run) {
    console.log(HELP);
    return values.help === true ? 0 : 1;
  }
  const seed = toNumber(values.seed) ?? Date.now() % 2 ** 31;
  console.log(`${run.name}, seed ${seed}`);
  const startedAt = performance.now();
  try {
    const figures = await run.run({
      seed,
      count: toNumber(values.count),
      skip: toNumber(values.skip) ?? 0,
      only: values.only ?? '',
      seconds: toNumber(values.seconds),
      report: (line) => console.log(line),
    });
    console.log(`✔ ${figures} in ${((performance.now() - startedAt) / 1000).toFixed(0)} s, seed ${seed}`);
    return 0;
  } catch (error) {
    console.error(`✖ ${reasonOf(error)}\nseed ${seed}`);
    return 1;
  }
}

process.exitCode = await main();
