import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { type Comparison, type Pace, compare, warmUp } from './compare.ts';
import { formatComparison, formatHead, formatSlowStreams } from './report.ts';
import { SCENARIOS } from './scenarios.ts';
import { type SlowStreams, measureSlowStreams } from './slow-streams.ts';
import { startSubjects } from './subjects.ts';

const HELP = `Usage: npm run bench -- [options]

Runs the gateway and a bare node:http + undici pass-through side by side, in turns, against one mock provider.

  --quick             one short round each (about a minute instead of about four)
  --scenario <text>   only the scenarios whose name contains <text>; "slow" for the open streams
  --json              one JSON object instead of the table
  --help              this text`;

const FULL: Pace = { warmMs: 2500, measureMs: 1800, rounds: 3, latencyMs: 1000 };
const QUICK: Pace = { warmMs: 500, measureMs: 800, rounds: 1, latencyMs: 500 };

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    scenario: { type: 'string' },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
const pace = values.quick ? QUICK : FULL;
const wanted = values.scenario ?? '';

function print(line: string): void {
  if (!values.json) console.log(line);
}

async function runComparisons(): Promise<Comparison[]> {
  const scenarios = SCENARIOS.filter(({ name }) => name.includes(wanted));
  if (scenarios.length === 0) return [];
  await using subjects = await startSubjects();
  await warmUp(subjects, pace);
  print(formatHead());
  const comparisons: Comparison[] = [];
  for (const scenario of scenarios) {
    const comparison = await compare(scenario, subjects, pace);
    comparisons.push(comparison);
    print(formatComparison(comparison));
  }
  return comparisons;
}

async function runSlowStreams(): Promise<SlowStreams[]> {
  if (!'slow streams'.includes(wanted)) return [];
  const plan = { streams: values.quick ? 300 : 1000, holdMs: values.quick ? 2000 : 6000 };
  await using subjects = await startSubjects();
  const rows: SlowStreams[] = [];
  for (const subject of [subjects.gateway, subjects.passThrough]) {
    await measureSlowStreams(subject, { streams: 100, holdMs: 1000 }); // code and caches that every process loads once
    rows.push(await measureSlowStreams(subject, plan));
  }
  print(formatSlowStreams(rows));
  return rows;
}

if (values.help) {
  console.log(HELP);
} else {
  print(`node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}\n`);
  const comparisons = await runComparisons();
  const slow = await runSlowStreams();
  if (values.json) console.log(JSON.stringify({ node: process.version, comparisons, slow }, null, 2));
}
