import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { own } from '../support/owned.ts';

/** How a process ended. */
export interface Ending {
  code: number | null;
  /** Whether it was killed at its time limit. */
  late: boolean;
  stdout: string;
  stderr: string;
  tookMs: number;
}

interface Start {
  directory: string;
  environment: NodeJS.ProcessEnv;
  /** The time limit, which begins anew with each answer. */
  limitMs: number;
  /** The time limit of its exit once it has disconnected. */
  exitLimitMs?: number;
  /** Answers a message of the process. */
  answer?(message: unknown): object;
}

const running = new Set<ChildProcess>();

/** Runs a command in its own process group, which is killed at the time limit. */
export async function runProcess([file = '', ...args]: readonly string[], start: Start): Promise<Ending> {
  const startedAtMs = performance.now();
  const child = own(
    spawn(file, args, {
      cwd: start.directory,
      detached: true,
      env: start.environment,
      stdio: ['ignore', 'pipe', 'pipe', ...(start.answer ? ['ipc' as const] : [])],
    }),
  );
  running.add(child);
  let [stdout, stderr, late] = ['', '', false];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const end = (): void => {
    late = true;
    endGroup(child, 'SIGKILL');
  };
  let timer = setTimeout(end, start.limitMs);
  child.once('disconnect', () => {
    clearTimeout(timer);
    timer = setTimeout(end, start.exitLimitMs ?? start.limitMs);
  });
  child.on('message', (message) => {
    timer.refresh();
    const answer = start.answer?.(message);
    if (answer && child.connected) child.send(answer, () => undefined); // it may have died meanwhile
  });
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      stderr += `${error.message}\n`;
      resolve(null);
    });
    child.once('close', resolve);
  });
  clearTimeout(timer);
  running.delete(child);
  return { code, late, stdout, stderr, tookMs: performance.now() - startedAtMs };
}

export function endAll(signal: NodeJS.Signals): void {
  for (const child of running) endGroup(child, signal);
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    return; // it has exited
  }
}

/** Kills every process whose command line names a folder; returns those lines. */
export function endProcessesOn(folder: string): string[] {
  const list = execFileSync('ps', ['-axww', '-o', 'pid=,args='], { encoding: 'utf8' });
  const found = list.split('\n').filter((line) => line.includes(folder));
  for (const line of found) {
    try {
      process.kill(Number.parseInt(line, 10), 'SIGKILL');
    } catch {
      continue; // it has exited meanwhile
    }
  }
  return found.map((line) => line.trim().slice(0, 200));
}
