import { run } from '#cli';
import type { CommandOrder, CommandOutput } from './command-line.ts';

/** Runs the command lines its parent sends, one at a time, each as if in its own process. */

function keepWrites(stream: NodeJS.WriteStream): { text(): string; restore(): void } {
  const write = stream.write.bind(stream);
  let text = '';
  const keep = (chunk: string | Uint8Array): boolean => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    return true;
  };
  stream.write = keep;
  return {
    text: () => text,
    restore() {
      stream.write = write;
      stream.removeAllListeners('error');
    },
  };
}

async function runOrder({ args, env }: CommandOrder): Promise<CommandOutput> {
  const [stdout, stderr] = [keepWrites(process.stdout), keepWrites(process.stderr)];
  process.env = env;
  process.exitCode = 0;
  await run(args);
  stdout.restore();
  stderr.restore();
  return { code: process.exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

let last: Promise<unknown> = Promise.resolve();

process.on('message', (order: CommandOrder) => {
  last = last.then(async () => process.send?.(await runOrder(order)));
});
