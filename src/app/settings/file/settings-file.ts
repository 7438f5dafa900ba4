import type { Document } from 'yaml';
import type { Environment } from '../settings.ts';
import type { SettingsProblem } from '../settings-problem.ts';
import type { SettingsFile } from '../schemas/settings-schema.ts';
import { LineCounter, isMap, isScalar } from 'yaml';
import { Value } from 'typebox/value';
import { type SettingsUse, convertWhole, fillVariables, placeProblem } from './fill-variables.ts';
import { type SettingFault, describeFault } from './describe-fault.ts';
import { parseYaml } from './parse-yaml.ts';
import { SettingsError } from '../settings-problem.ts';
import { createSettingsSchema } from '../schemas/settings-schema.ts';

const schema = createSettingsSchema();

/** A configuration file that is valid in itself. */
export interface ParsedFile {
  content: SettingsFile;
  /** The place of a value in the file, as `sluice.yaml:4:7`. */
  locate(path: readonly (string | number)[]): string;
}

/** Parses the text of `sluice.yaml`. Throws SettingsError naming line and column of every error. */
export function parseSettingsFile(
  { name, text }: { name: string; text: string },
  environment: Environment,
  use: SettingsUse = 'run',
): ParsedFile {
  const source = { name, lines: new LineCounter() };
  const { document, problem } = parseYaml(text, source.lines);
  const place = (offset: number, message: string): SettingsProblem =>
    placeProblem(source, { offset, message });
  if (problem) throw new SettingsError([place(problem.offset, describeSyntax(text, problem))]);
  const filling = fillVariables(document, environment, use);
  const faults = findFaults(document, filling.whole);
  const problems = [
    ...filling.problems.map(({ offset, message }) => place(offset, message)),
    ...faults.flatMap((fault) => {
      const described = describeFault(schema, fault);
      return described
        ? [place(findOffset(document, described.path, described.atKey), described.message)]
        : [];
    }),
  ];
  if (problems.length > 0) throw new SettingsError(unique(problems));
  return {
    content: (document.toJS() ?? {}) as SettingsFile,
    locate: (path) => place(findOffset(document, path, false), '').place,
  };
}

function describeSyntax(text: string, { message, offset }: { message: string; offset: number }): string {
  const isVariable = text.slice(Math.max(0, offset - 1), offset + 1) === '${';
  return isVariable ? `${message}; inside { } write "\${NAME}" in quotes` : message;
}

/** The faults that remain once scalars are converted. Only the first faults are listed, so one round may show the next. */
function findFaults(document: Document, whole: Set<unknown>): SettingFault[] {
  for (;;) {
    const faults = readFaults(document);
    const converted = faults.filter((fault) => convertScalar(document, fault, whole));
    if (converted.length === 0) return faults;
  }
}

function convertScalar(document: Document, fault: SettingFault, whole: Set<unknown>): boolean {
  const { keyword, instancePath, params } = fault;
  if (keyword !== 'type' && keyword !== 'enum') return false;
  const path = toPath(document, instancePath);
  return (
    convertWhole(document, path, whole) ||
    (params['type'] === 'string' && convertNumber(document, path, whole))
  );
}

/** A number where a text is wanted is the text it was written as: a price keeps its digits, and is never a float. */
function convertNumber(document: Document, path: readonly (string | number)[], whole: Set<unknown>): boolean {
  const node = document.getIn(path, true);
  if (!isScalar(node) || typeof node.value !== 'number' || whole.has(node)) return false;
  if (node.source === undefined) return false;
  node.value = node.source;
  return true;
}

function readFaults(document: Document): SettingFault[] {
  const value: unknown = document.toJS() ?? {};
  return Value.Errors(schema, value);
}

/** A JSON pointer as keys of the document, with an index for each list. */
function toPath(document: Document, pointer: string): (string | number)[] {
  const path: (string | number)[] = [];
  for (const raw of pointer.split('/').slice(1)) {
    const key = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(isMap(path.length === 0 ? document.contents : document.getIn(path, true)) ? key : Number(key));
  }
  return path;
}

/** The offset of a value or of its key; if it is absent, of its nearest ancestor. */
export function findOffset(document: Document, path: readonly (string | number)[], atKey: boolean): number {
  const parent = path.length <= 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (atKey && isMap(parent)) {
    const pair = parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1));
    if (isScalar(pair?.key) && pair.key.range) return pair.key.range[0];
  }
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  const range = (node as { range?: [number, number, number] | null } | null | undefined)?.range;
  if (range) return range[0];
  return path.length === 0 ? 0 : findOffset(document, path.slice(0, -1), false);
}

function unique(problems: readonly SettingsProblem[]): SettingsProblem[] {
  return [...new Map(problems.map((problem) => [`${problem.place} ${problem.message}`, problem])).values()];
}
