import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type JsonObject, parseJsonObject } from '#base';
import { getProgram } from './built-program.ts';
import { own } from './owned.ts';
import { createEnvironment } from './process-environment.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface CommandOrder {
  args: string[];
  env: NodeJS.ProcessEnv;
}

export interface CommandOutput {
  code: number;
  stdout: string;
  stderr: string;
}

/** Output of one command of the command line. */
export interface CommandResult extends CommandOutput {
  /** The standard output as JSON, where it is an object. */
  json: JsonObject | undefined;
}

const withJson = (output: CommandOutput): CommandResult => ({
  ...output,
  json: parseJsonObject(output.stdout),
});

/** Runs one command in a process of its own, to its end; interrupts it once `interruption` resolves. */
export async function spawnCommand(
  args: string[],
  env: Record<string, string> = {},
  interruption?: Promise<unknown>,
): Promise<CommandResult> {
  const child = own(
    spawn(process.execPath, [await getProgram(), ...args], {
      cwd: root,
      detached: true,
      env: createEnvironment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  void interruption?.then(() => child.kill('SIGINT'));
  await once(child, 'close');
  return withJson({ code: child.exitCode ?? -1, stdout, stderr });
}

/** A process takes a moment to exit; meanwhile a running gateway is notified of the command's changes. */
const LEAVE_MS = 50;

/** One process for all commands of a test file: a new one for each would cost most of a second. */
class CommandHost {
  readonly #child: ChildProcess;
  #last: Promise<unknown> = Promise.resolve();

  constructor() {
    this.#child = fork(new URL('command-host.ts', import.meta.url), {
      cwd: root,
      env: createEnvironment(),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    // Neither the host nor waiting for it keeps a test process alive; the host exits with its parent.
    this.#child.unref();
    this.#child.channel?.unref();
  }

  async run(order: CommandOrder): Promise<CommandOutput> {
    const output = this.#last.then(() => this.#ask(order));
    this.#last = output.catch(() => undefined);
    return output;
  }

  async #ask(order: CommandOrder): Promise<CommandOutput> {
    this.#child.channel?.ref();
    const ended = new AbortController();
    const leaves = once(this.#child, 'exit', { signal: ended.signal }).then(() => {
      throw new Error(`the command host left while it ran ${order.args.join(' ')}`);
    });
    try {
      this.#child.send(order);
      const [output] = (await Promise.race([once(this.#child, 'message'), leaves])) as [CommandOutput];
      await sleep(LEAVE_MS);
      return output;
    } finally {
      ended.abort();
      leaves.catch(() => undefined);
      this.#child.channel?.unref();
    }
  }
}

let host: CommandHost | undefined;

/** Runs one command as `spawnCommand` does, in a process that has run others before. */
export async function runCommand(args: string[], env: Record<string, string> = {}): Promise<CommandResult> {
  host ??= new CommandHost();
  return withJson(await host.run({ args, env: createEnvironment(env) }));
}
