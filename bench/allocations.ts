import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import type { HeapProfiler } from 'node:inspector';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createTemporaryFolder } from '../test/support/temporary.ts';
import { type Subject, measure } from './measure.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { CHECKOUT } from '../test/support/built-program.ts';
import { startSubjects } from './subjects.ts';

const HELP = `Usage: node bench/allocations.ts [options]

What a request allocates in the gateway, in kilobytes, by folder and by function, sampled under load. These figures
depend less on the machine than times do: two runs in turns agree within a few per cent, a busy machine adds up to a tenth.

  --scenario <text>   the first scenario whose name contains <text>; "JSON 2 KB × 128" by default
  --top <number>      how many functions are listed; 40 by default
  --profile <file>    keeps the profile, with the paths that lead to a function
  --help              this text
`;

const ROUND_MS = 4_000;
/** Until functions are optimized: code that is not allocates what optimized code keeps in registers. */
const WARM_REQUESTS = 25_000;
/** Enough to outweigh background work; on a busy machine this takes several rounds. */
const LEAST_REQUESTS = 10_000;
const PROBE = fileURLToPath(new URL('allocation-probe.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('..', import.meta.url));

const { values } = parseArgs({
  options: {
    scenario: { type: 'string' },
    top: { type: 'string' },
    profile: { type: 'string' },
    help: { type: 'boolean' },
  },
});

/** Bytes by allocating function. */
type Sums = Map<string, number>;

function add(sums: Sums, name: string, bytes: number): void {
  sums.set(name, (sums.get(name) ?? 0) + bytes);
}

function sumUp(profile: HeapProfiler.SamplingHeapProfile): { folders: Sums; functions: Sums } {
  const folders: Sums = new Map();
  const functions: Sums = new Map();
  const walk = (node: HeapProfiler.SamplingHeapProfileNode, caller: string): void => {
    const { callFrame, selfSize, children } = node;
    const url = callFrame.url.replace('file://', '').replace(ROOT, '');
    const place = url === '' ? 'the engine' : url.startsWith('node:') ? 'node' : url;
    const folder = place.startsWith('node_modules/')
      ? place.split('/').slice(0, 2)
      : place.split('/').slice(0, 3);
    add(folders, folder.filter((part) => !part.endsWith('.ts')).join('/'), selfSize);
    const name = callFrame.functionName || '(anonymous)';
    const shown = url === '' ? `${name} of ${caller}` : `${name} ${url}:${callFrame.lineNumber + 1}`;
    add(functions, shown, selfSize);
    children.forEach((child) => {
      walk(child, shown);
    });
  };
  walk(profile.head, 'the program');
  return { folders, functions };
}

function print(sums: Sums, requests: number, top: number): void {
  const sorted = [...sums].toSorted(([, one], [, other]) => other - one);
  for (const [name, bytes] of sorted.slice(0, top))
    console.log(`${(bytes / 1024 / requests).toFixed(2).padStart(8)}  ${name}`);
}

/** Runs rounds of load until so many requests are complete; returns how many are. */
async function run(subject: Subject, scenario: Scenario, requests: number): Promise<number> {
  const work = { ...scenario.gateway, connections: scenario.connections, warmMs: 0, measureMs: ROUND_MS };
  let complete = 0;
  while (complete < requests) complete += (await measure(subject, work)).load.complete;
  return complete;
}

/** Samples while the load runs; returns the profile and the number of requests it covers. */
async function sample(
  subject: Subject,
  scenario: Scenario,
  file: string,
): Promise<{ profile: HeapProfiler.SamplingHeapProfile; requests: number }> {
  await run(subject, scenario, WARM_REQUESTS);
  process.kill(subject.pid, 'SIGUSR2');
  const requests = await run(subject, scenario, LEAST_REQUESTS);
  process.kill(subject.pid, 'SIGUSR2');
  while (!existsSync(file)) await sleep(100);
  await sleep(500);
  return {
    profile: JSON.parse(readFileSync(file, 'utf8')) as HeapProfiler.SamplingHeapProfile,
    requests,
  };
}

if (values.help) {
  console.log(HELP);
} else {
  const wanted = values.scenario ?? 'JSON 2 KB × 128';
  const scenario = SCENARIOS.find(({ name }) => name.includes(wanted));
  if (!scenario) throw new Error(`no scenario has ${wanted} in its name`);
  using folder = createTemporaryFolder('sluice-allocations-');
  const file = `${folder.path}/profile.json`;
  await using subjects = await startSubjects({
    program: CHECKOUT, // its functions are named with their files
    nodeOptions: ['--import', PROBE],
    env: { ALLOCATION_PROFILE: file },
  });
  const { profile, requests } = await sample(subjects.gateway, scenario, file);
  if (values.profile !== undefined) copyFileSync(file, values.profile);
  const { folders, functions } = sumUp(profile);
  const total = [...folders.values()].reduce((sum, bytes) => sum + bytes, 0);
  console.log(`${scenario.name}: ${(total / 1024 / requests).toFixed(1)} KB per request, of ${requests}\n`);
  print(folders, requests, 30);
  console.log();
  print(functions, requests, Number(values.top ?? 40));
}
