import type { Document, LineCounter } from 'yaml';
import type { Environment } from '../settings.ts';
import type { SettingsProblem } from '../settings-problem.ts';
import { isPair, isScalar, visit } from 'yaml';
import { readSecretFile } from './secret-file.ts';

const REFERENCE = /\$\{([^}]*)\}/g;
const FILE = 'file:';
const CONTENT = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/** What a configuration is read for: to run a gateway, or to show its content, which needs no key and no other system. */
export type SettingsUse = 'run' | 'show';

/** Sections of other systems. */
const UNSHOWN: readonly unknown[] = ['auth', 'metrics', 'telemetry', 'exports', 'alerts'];
/** The fields with the credentials of providers. */
const KEYS: readonly unknown[] = ['apiKey', 'headers'];

/** The result of filling in the variables of a file. */
interface Filling {
  problems: { offset: number; message: string }[];
  /** Texts of nodes that are a single variable: they may represent a number or a boolean. */
  whole: Set<unknown>;
}

/**
 * Replaces `${NAME}`, `${NAME:-default}` and `${file:/path}` in every value of a document. To show it, a key whose variable is
 * not set is as one that is left empty, and sections that are not shown are left out.
 */
export function fillVariables(document: Document, environment: Environment, use: SettingsUse): Filling {
  const filling: Filling = { problems: [], whole: new Set() };
  const leftOut = new Set<unknown>();
  visit(document, {
    Scalar: (key, node, path) => {
      if (key === 'key' || typeof node.value !== 'string' || !node.value.includes('${')) return;
      const text = node.value;
      node.value = text.replace(REFERENCE, (reference, content: string) => {
        const found = readReference(content, environment);
        if (found.value === undefined) {
          const keys = use === 'show' ? listKeys(path) : [];
          if (keys[0] === 'providers' && keys.some((name) => KEYS.includes(name))) return '';
          if (UNSHOWN.includes(keys[0])) leftOut.add(keys[0]);
          else filling.problems.push({ offset: node.range?.[0] ?? 0, message: found.message });
          return reference;
        }
        return found.value;
      });
      if (/^\$\{[^}]*\}$/.test(text)) filling.whole.add(node);
    },
  });
  for (const section of leftOut) document.delete(section);
  return filling;
}

/** The keys that lead to a node. */
const listKeys = (path: readonly unknown[]): unknown[] =>
  path.flatMap((node) => (isPair(node) && isScalar(node.key) ? [node.key.value] : []));

type ReferenceValue = { value: string } | { value?: undefined; message: string };

function readReference(content: string, environment: Environment): ReferenceValue {
  if (content.startsWith(FILE)) return readFile(content.slice(FILE.length));
  const [, name, fallback] = CONTENT.exec(content) ?? [];
  if (name === undefined) {
    return {
      message: `\${${content}} is not a variable; write \${NAME}, \${NAME:-default} or \${file:/path}`,
    };
  }
  const value = environment[name];
  if (fallback !== undefined) return { value: value === undefined || value === '' ? fallback : value };
  if (value === undefined) {
    return { message: `the environment variable ${name} is not set; set it, or write \${${name}:-default}` };
  }
  return { value };
}

function readFile(path: string): ReferenceValue {
  try {
    return { value: readSecretFile(path) };
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) };
  }
}

/** The node's text as the number or boolean it looks like. */
export function convertWhole(
  document: Document,
  path: readonly (string | number)[],
  whole: Filling['whole'],
): boolean {
  const node = document.getIn(path, true);
  if (!isScalar(node) || !whole.has(node) || typeof node.value !== 'string') return false;
  if (/^(true|false)$/.test(node.value)) node.value = node.value === 'true';
  else if (/^-?\d+$/.test(node.value)) node.value = Number(node.value);
  return typeof node.value !== 'string';
}

/** A problem at an offset of the text. */
export function placeProblem(
  source: { name: string; lines: LineCounter },
  problem: { offset: number; message: string },
): SettingsProblem {
  const { line, col } = source.lines.linePos(problem.offset);
  return { place: `${source.name}:${line}:${col}`, message: problem.message };
}
