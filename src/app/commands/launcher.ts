import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Reports whether the `npx` or `npm` that started this process has ended: between them may be a shell, which outlives it.
 * Another parent may end without ending this process, such as a shell whose jobs continue.
 */
export function watchLauncher(): () => Promise<boolean> {
  if (process.env['npm_command'] === undefined) return async () => false;
  let first: readonly number[] | undefined;
  return async () => {
    const now = [process.ppid, await findParent(process.ppid)];
    first ??= now;
    return now.some((pid, index) => pid !== first?.[index]);
  };
}

async function findParent(pid: number): Promise<number> {
  if (process.platform !== 'linux') {
    const { stdout } = await run('ps', ['-o', 'ppid=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
    return Number(stdout);
  }
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program, in parentheses, may have spaces.
  return Number(/\) \S (\d+)/.exec(status)?.[1] ?? 0);
}
