/** Where a text stops being JSON, and why. */
export interface JsonFault {
  /** Counted from 1, in UTF-16 code units. */
  line: number;
  column: number;
  /** Names one character of the text at most. */
  problem: string;
}

type Expected = 'value' | 'item' | 'member' | 'name' | 'colon' | 'next' | 'end';

const DESCRIBED: Readonly<Record<Exclude<Expected, 'next'>, string>> = {
  value: 'a value',
  item: 'a value or ]',
  member: 'a name in double quotes or }',
  name: 'a name in double quotes',
  colon: ':',
  end: 'nothing after the value',
};

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BLANKS = /[ \t\n\r]*/y;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
const SHORT_ESCAPES = '"\\/bfnrt';
const LONG_ESCAPE = /\\u[0-9a-fA-F]{4}/y;
const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** The first fault of a text; undefined if it is JSON. The engine's own messages repeat the text and lack the place. */
export function findJsonFault(text: string): JsonFault | undefined {
  const scan = new Scan(text);
  while (scan.problem === undefined && !scan.isDone) scan.step();
  if (scan.problem === undefined) return undefined;
  let line = 1;
  let start = 0;
  for (let at = 0; at < scan.at; at += 1) {
    if (text.charCodeAt(at) !== NEWLINE) continue;
    line += 1;
    start = at + 1;
  }
  return { line, column: scan.at - start + 1, problem: scan.problem };
}

class Scan {
  at = 0;
  problem: string | undefined;
  isDone = false;
  readonly #text: string;
  readonly #open: string[] = [];
  #expected: Expected = 'value';

  constructor(text: string) {
    this.#text = text;
  }

  step(): void {
    this.#skip(BLANKS);
    const char = this.#text[this.at];
    const expected = this.#expected;
    if (char === undefined && expected === 'end') this.isDone = true;
    else if (char !== undefined && this.#take(char, expected)) return;
    else this.problem ??= `expected ${this.#describe(expected)}, found ${nameOf(char)}`;
  }

  /** Whether the token that begins with a character may stand here. */
  #take(char: string, expected: Expected): boolean {
    if (expected === 'value' || expected === 'item')
      return (expected === 'item' && char === ']' && this.#close()) || this.#takeValue(char);
    if (expected === 'member' || expected === 'name')
      return (expected === 'member' && char === '}' && this.#close()) || this.#takeString(char, 'colon');
    if (expected === 'colon') return char === ':' && this.#go('value');
    if (expected === 'end') return false;
    const open = this.#open.at(-1) ?? '';
    if (char === CLOSING[open]) return this.#close();
    return char === ',' && this.#go(open === '{' ? 'name' : 'value');
  }

  #takeValue(char: string): boolean {
    const after: Expected = this.#open.length === 0 ? 'end' : 'next';
    if (char === '"') return this.#takeString(char, after);
    if (char === '{' || char === '[') {
      this.#open.push(char);
      return this.#go(char === '{' ? 'member' : 'item');
    }
    if (!this.#skip(SCALAR)) return false;
    this.#expected = after;
    return true;
  }

  /** A string that is not whole has the problem. */
  #takeString(char: string, after: Expected): boolean {
    if (char !== '"') return false;
    this.at += 1;
    for (let code = this.#code; code !== QUOTE; code = this.#code) {
      if (Number.isNaN(code)) return this.#fail('the string has no end');
      if (code < 0x20) return this.#fail(`${nameOf(this.#text[this.at])} must be escaped in a string`);
      if (code !== BACKSLASH) this.at += 1;
      else if (SHORT_ESCAPES.includes(this.#text[this.at + 1] ?? ' ')) this.at += 2;
      else if (!this.#skip(LONG_ESCAPE)) return this.#fail('unknown escape in a string');
    }
    return this.#go(after);
  }

  get #code(): number {
    return this.#text.charCodeAt(this.at);
  }

  #close(): boolean {
    this.#open.pop();
    return this.#go(this.#open.length === 0 ? 'end' : 'next');
  }

  #go(expected: Expected): true {
    this.at += 1;
    this.#expected = expected;
    return true;
  }

  #fail(problem: string): false {
    this.problem = problem;
    return false;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const length = pattern.exec(this.#text)?.[0].length ?? 0;
    this.at += length;
    return length > 0;
  }

  #describe(expected: Expected): string {
    return expected === 'next' ? `, or ${CLOSING[this.#open.at(-1) ?? '']}` : DESCRIBED[expected];
  }
}

/** Characters that cannot be seen by their number. */
function nameOf(char: string | undefined): string {
  if (char === undefined) return 'the end';
  if (/[!-~]/.test(char)) return char;
  return `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
