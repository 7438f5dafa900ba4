import { type Document, type LineCounter, parseDocument } from 'yaml';

/** What a YAML file contains, with the place of each value, and its first syntax error: later ones mostly follow from it. */
interface ParsedYaml {
  document: Document;
  problem?: { offset: number; message: string };
}

/** In place of the parser's messages, which address its own caller. */
const MESSAGES: readonly [given: RegExp, message: string][] = [
  [/^Maximum call stack size exceeded/, 'nests too deep'],
  [/^Source contains multiple documents/, 'a second document begins; write one document in each file'],
  [/^Excessive alias count/, 'aliases repeat too much'],
];

export function parseYaml(text: string, lineCounter: LineCounter): ParsedYaml {
  const document: Document = parseDocument(text, { lineCounter, prettyErrors: false });
  const [broken] = document.errors;
  if (broken) return { document, problem: { offset: broken.pos[0], message: describe(broken.message) } };
  try {
    document.toJS();
    return { document };
  } catch (thrown) {
    return { document, problem: { offset: 0, message: describe((thrown as Error).message) } };
  }
}

function describe(given: string): string {
  return MESSAGES.find(([pattern]) => pattern.test(given))?.[1] ?? given;
}
