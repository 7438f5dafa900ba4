import { CommanderError } from 'commander';
import { describeFailure } from './terminal/failure.ts';
import { createProgram } from './program.ts';
import { INTERRUPTED, Interrupted } from './terminal/interruption.ts';
import { Misuse } from './terminal/misuse.ts';
import { remark } from './terminal/output.ts';

/** Runs one command line. Exit codes: 0 done, 1 failed, 2 misused. */
export async function run(args: readonly string[]): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough (`| head`) is no failure; a file on a full disk is.
    if (error.code === 'EPIPE') return;
    process.stderr.write(`error: the output could not be written: ${error.message}\n`);
    process.exitCode = 1;
  });
  process.stderr.on('error', () => undefined);
  try {
    await createProgram().parseAsync([...args], { from: 'user' });
  } catch (error) {
    // Abandoned work may keep the process busy.
    if (error instanceof Interrupted) process.exit(INTERRUPTED);
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    const isMisuse = error instanceof Misuse;
    const hint = isMisuse ? '\n(add --help for how to use it)' : '';
    remark(`${describeFailure(error)}${hint}`);
    process.exitCode = isMisuse ? 2 : 1;
  }
}
