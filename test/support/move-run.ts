import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type JsonObject, parseJsonObject } from '#base';
import { getProgram } from './built-program.ts';
import { own } from './owned.ts';
import { createEnvironment } from './process-environment.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface MoveOrder {
  dataDir: string;
  env: Record<string, string>;
  to: string;
}

interface MoveEnd {
  /** `undefined` if it was killed. */
  code: number | undefined;
  json: JsonObject | undefined;
  stderr: string;
}

/** Runs `sluice database move` in a process of its own, and kills it once `death` resolves. */
export async function runMove({ dataDir, env, to }: MoveOrder, death?: Promise<unknown>): Promise<MoveEnd> {
  const args = ['database', 'move', '--to', to, '--json', '--data-dir', dataDir];
  const child = own(
    spawn(process.execPath, [await getProgram(), ...args], {
      cwd: root,
      detached: true,
      env: createEnvironment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (bytes: Buffer) => (output.stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (output.stderr += bytes.toString()));
  void death?.then(() => child.kill('SIGKILL'));
  await once(child, 'close');
  return {
    code: child.signalCode === null ? (child.exitCode ?? -1) : undefined,
    json: parseJsonObject(output.stdout),
    stderr: output.stderr,
  };
}

interface KilledMoves {
  order: MoveOrder;
  kills: number;
  /** When the next move is killed, in milliseconds. */
  chooseMs(): number;
  report(line: string): void;
}

/** Kills a move several times, then lets it end. */
export async function runKilledMoves({ order, kills, chooseMs, report }: KilledMoves): Promise<MoveEnd> {
  for (let kill = 1; kill <= kills; kill += 1) {
    const afterMs = chooseMs();
    const end = await runMove(order, sleep(afterMs));
    report(
      `move ${kill} was ${end.code === undefined ? 'killed' : 'over'} after ${(afterMs / 1_000).toFixed(1)} s`,
    );
    if (end.code !== undefined) return end;
  }
  return runMove(order);
}
