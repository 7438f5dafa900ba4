import { createInterface } from 'node:readline/promises';

interface Terminal {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

/** Whether the answer to a question is yes; Ctrl-C and Ctrl-D answer no. */
export async function ask(
  question: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  const terminal = createInterface({ input, output, terminal: true });
  const aborted = Symbol('aborted');
  const answer = await terminal.question(`${question} [y/N] `).catch(() => aborted);
  terminal.close();
  if (typeof answer === 'string') return /^y(es)?$/i.test(answer.trim());
  output.write('\n');
  return false;
}
