import type { CommonOptions } from './command.ts';

/** Writes an answer: one line of JSON for machines, else lines for people. */
export function print(options: CommonOptions, value: object, toLines: () => readonly string[]): void {
  const lines = options.json === true ? [toJson(value)] : toLines();
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

/** Amounts are bigint inside; JSON has no such thing and gets their digits. */
export function toJson(value: object): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? member.toString() : member,
  );
}

/** A remark beside the answer. */
export function remark(text: string): void {
  process.stderr.write(`${text}\n`);
}
