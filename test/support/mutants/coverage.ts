import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseJsonObject } from '#base';
import type { Sandbox } from './sandbox.ts';

/** Characters of a file that ran, or did not, as V8 reports them; ranges lie within each other. */
type Range = readonly [start: number, end: number, count: number];

/** What a test file does without a fault. */
export interface TestFacts {
  /** Whether it passes; a failing one proves nothing. */
  isSound: boolean;
  tookMs: number;
  /** Whether it runs a place of a file. */
  runs(path: string, at: number): boolean;
}

interface Report {
  result: {
    url: string;
    functions: { ranges: { startOffset: number; endOffset: number; count: number }[] }[];
  }[];
}

/** Runs a test file once, with all its processes, and records which positions of `src/` it runs. */
export async function observe(sandbox: Sandbox, test: string, limitMs: number): Promise<TestFacts> {
  const folder = mkdtempSync(join(sandbox.temporary, 'coverage-'));
  const { code, tookMs } = await sandbox.run(test, {
    limitMs,
    environment: { NODE_V8_COVERAGE: folder, NODE_DISABLE_COMPILE_CACHE: '1' },
  });
  const scripts = new Map<string, Range[][]>();
  for (const name of readdirSync(folder)) addReport(scripts, join(folder, name), sandbox.path);
  rmSync(folder, { recursive: true, force: true });
  return {
    isSound: code === 0,
    tookMs,
    runs: (path, at) => (scripts.get(path) ?? []).some((ranges) => countAt(ranges, at) > 0),
  };
}

function addReport(scripts: Map<string, Range[][]>, file: string, root: string): void {
  const report = parseJsonObject(readFileSync(file, 'utf8')) as unknown as Report | undefined; // cut off where its process was killed
  const prefix = `${pathToFileURL(root).href}/`;
  for (const { url, functions } of report?.result ?? []) {
    const path = url.slice(prefix.length).split('?')[0] ?? '';
    if (!url.startsWith(prefix) || !path.startsWith('src/')) continue;
    const ranges = functions.flatMap((each) =>
      each.ranges.map(({ startOffset, endOffset, count }): Range => [startOffset, endOffset, count]),
    );
    scripts.set(path, [...(scripts.get(path) ?? []), ranges]);
  }
}

/** The innermost range says how often a place ran. */
function countAt(ranges: readonly Range[], at: number): number {
  let inner: Range | undefined;
  for (const range of ranges) {
    const [start, end] = range;
    if (start > at || end <= at) continue;
    if (!inner || end - start <= inner[1] - inner[0]) inner = range;
  }
  return inner?.[2] ?? 0;
}
