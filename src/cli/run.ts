import { CommanderError } from 'commander';
import { describeFailure } from './terminal/failure.ts';
import { createProgram } from './program.ts';

/** Runs one command line. Exit codes: 0 done, 1 failed, 2 misused. */
export async function run(args: readonly string[]): Promise<void> {
  // A reader that has seen enough (`| head`) is no failure.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  try {
    await createProgram().parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    process.stderr.write(`${describeFailure(error)}\n`);
    process.exitCode = 1;
  }
}
