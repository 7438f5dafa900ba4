import { execFile } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SOURCES = ['web/src/**/*', 'web/*.{ts,html,json}', 'package-lock.json'];
const BUILT = 'web/dist/index.html';

/** Builds the dashboard if its sources have changed since: browsers are served what is built. */
export async function buildDashboard(root: string): Promise<void> {
  const timeOf = (path: string): number =>
    statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const builtMs = timeOf(BUILT);
  const isStale = globSync(SOURCES, { cwd: root }).some((path) => timeOf(path) > builtMs);
  if (!isStale) return;
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'web/build.ts')]);
  console.log(stdout.trim());
}
