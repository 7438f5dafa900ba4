import type { CommonOptions } from './command.ts';

/** Prints a result: one line of JSON, or text. */
export function print(options: CommonOptions, value: object, toLines: () => readonly string[]): void {
  const lines = options.json === true ? [toJson(value)] : toLines();
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

/** Amounts are bigint, which JSON lacks; they are printed as digits. */
export function toJson(value: object): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? member.toString() : member,
  );
}

/** A remark on standard error. */
export function remark(text: string): void {
  process.stderr.write(`${text}\n`);
}
