import type { CommonOptions } from './command.ts';
import { toPlainText } from './plain-text.ts';

/** Prints a result: one line of JSON, or text. */
export function print(options: CommonOptions, value: object, toLines: () => readonly string[]): void {
  if (options.json === true) printLines([toJson(value)]);
  else printTexts(toLines());
}

/** Texts may hold what callers and providers wrote. */
export function printTexts(texts: readonly string[]): void {
  printLines(texts.map(toPlainText));
}

export function printLines(lines: readonly string[]): void {
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
  process.stderr.write(`${toPlainText(text)}\n`);
}
