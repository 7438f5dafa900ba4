import type { CommonOptions } from './command.ts';

/** Prints a result: one line of JSON, or text. */
export function print(options: CommonOptions, value: object, toLines: () => readonly string[]): void {
  if (options.json === true) printLines([toJson(value)]);
  else printTexts(toLines());
}

/** Text without control characters, which a terminal would interpret. */
function toPlainText(text: string): string {
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\uFFFD');
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
