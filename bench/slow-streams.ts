import { once } from 'node:events';
import { parseJsonObject } from '#base';
import { readLine, spawnScript } from './child.ts';
import type { LoadPlan, LoadResult } from './load.ts';
import type { Subject } from './measure.ts';
import { readCpuSeconds, readResidentBytes } from './process-figures.ts';
import { SLOW_SCENARIO } from './scenarios.ts';

/** The cost of open streams for a subject. */
export interface SlowStreams {
  subject: Subject['name'];
  streams: number;
  /** Resident memory per open stream, after garbage collection at both readings. */
  bytesPerStream: number;
  residentBefore: number;
  residentOpen: number;
  /** Share of one core while the streams trickle, one event per second each. */
  cpuShare: number;
  firstByteMs: { p50: number; p99: number };
}

interface SlowPlan {
  streams: number;
  holdMs: number;
}

/** Opens the streams, lets them trickle, and compares memory with that before. */
export async function measureSlowStreams(subject: Subject, plan: SlowPlan): Promise<SlowStreams> {
  const residentBefore = await readSettledMemory(subject.pid);
  const work = subject.name === 'gateway' ? SLOW_SCENARIO.gateway : SLOW_SCENARIO.direct;
  const load: LoadPlan = {
    url: `${subject.origin}${work.path}`,
    headers: subject.headers,
    body: work.body,
    connections: plan.streams,
    warmMs: 0,
    measureMs: 0,
    mode: 'hold',
  };
  const child = spawnScript('load.ts', []);
  child.stdin?.write(`${JSON.stringify(load)}\n`);
  await readLine(child); // every stream is open
  const cpuBefore = readCpuSeconds(subject.pid);
  await sleep(plan.holdMs);
  const cpuShare = (readCpuSeconds(subject.pid) - cpuBefore) / (plan.holdMs / 1000);
  const residentOpen = await readSettledMemory(subject.pid);
  const result = readLine(child);
  child.stdin?.end();
  const last = parseJsonObject(await result) as unknown as LoadResult;
  await once(child, 'exit');
  if (last.failed > 0)
    throw new Error(`${subject.name}: ${last.failed} slow streams failed: ${last.failure ?? ''}`);
  return {
    subject: subject.name,
    streams: plan.streams,
    bytesPerStream: (residentOpen - residentBefore) / plan.streams,
    residentBefore,
    residentOpen,
    cpuShare,
    firstByteMs: last.firstByteMs,
  };
}

/** Memory after several collections, triggered by SIGUSR2. */
async function readSettledMemory(pid: number): Promise<number> {
  for (let round = 0; round < 5; round += 1) {
    process.kill(pid, 'SIGUSR2');
    await sleep(400);
  }
  return readResidentBytes(pid);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
