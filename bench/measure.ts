import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { parseJsonObject } from '#base';
import { spawnScript } from './child.ts';
import type { LoadPlan, LoadResult } from './load.ts';
import { readCpuSeconds, readDatabaseCpuSeconds } from './process-figures.ts';

/** Something that takes requests: the gateway, the pass-through, or the mock provider itself. */
export interface Subject {
  name: 'gateway' | 'pass-through' | 'direct';
  pid: number;
  origin: string;
  headers: Record<string, string>;
  /** The directory of the gateway's database, whose processor time is measured separately. */
  dataDir?: string;
}

/** One measured round of one subject. */
export interface Round {
  requestsPerSecond: number;
  /** Requests per second of the subject's own processor time: the throughput of one core. */
  perCore: number;
  cpuMsPerRequest: number;
  databaseMsPerRequest: number;
  load: LoadResult;
}

export interface Work {
  path: string;
  body: string;
  connections: number;
  warmMs: number;
  measureMs: number;
}

/** Runs the load generator against a subject; processor time covers only the measured part. */
export async function measure(subject: Subject, work: Work): Promise<Round> {
  const child = spawnScript('load.ts', []);
  const plan: LoadPlan = {
    url: `${subject.origin}${work.path}`,
    headers: subject.headers,
    body: work.body,
    connections: work.connections,
    warmMs: work.warmMs,
    measureMs: work.measureMs,
    mode: 'loop',
  };
  child.stdin?.write(`${JSON.stringify(plan)}\n`);
  if (!child.stdout) throw new Error('the load generator has no standard output');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next(); // the measured part begins
  const before = readFigures(subject);
  const last = await lines.next();
  const after = readFigures(subject);
  await once(child, 'exit');
  const load = parseJsonObject(String(last.value)) as unknown as LoadResult;
  if (load.complete === 0 || load.failed > 0) {
    throw new Error(
      `${subject.name}: ${load.failed} failed of ${load.complete}: ${load.failure ?? 'no answer'}`,
    );
  }
  const cpuSeconds = after.cpu - before.cpu;
  return {
    requestsPerSecond: load.complete / load.seconds,
    perCore: load.complete / cpuSeconds,
    cpuMsPerRequest: (cpuSeconds / load.complete) * 1000,
    databaseMsPerRequest: ((after.database - before.database) / load.complete) * 1000,
    load,
  };
}

function readFigures(subject: Subject): { cpu: number; database: number } {
  return {
    cpu: readCpuSeconds(subject.pid),
    database: subject.dataDir === undefined ? 0 : readDatabaseCpuSeconds(subject.dataDir),
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
