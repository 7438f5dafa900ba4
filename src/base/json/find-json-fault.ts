/** Where a text stops being JSON, and why. */
interface JsonFault {
  /** Counted from 1, in UTF-16 code units. */
  line: number;
  column: number;
  /** Names one character of the text at most. */
  problem: string;
}

/** What may come next, in words, and the tokens by their first character; `0` is a number, `true`, `false` or `null`. */
const EXPECTED = {
  value: ['a value', '"0{['],
  item: ['a value or ]', '"0{[]'],
  member: ['a name in double quotes or }', '"}'],
  name: ['a name in double quotes', '"'],
  colon: [':', ':'],
  nextItem: [', or ]', ',]'],
  nextMember: [', or }', ',}'],
  end: ['nothing after the value', ''],
} as const;
type Expected = keyof typeof EXPECTED;

/** The beginning of a string; a scalar; or any other character. */
const TOKEN = /[ \t\n\r]*(?:(")|(true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|([^]?))/y;
/** Some characters of a string: the engine remembers each that it may have to give back, and not any number of them. */
const CHARACTERS = /(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})){1,10000}/y;

/** The first fault of a text; undefined if it is JSON. The engine's own messages repeat the text and lack the place. */
export function findJsonFault(text: string): JsonFault | undefined {
  const open: string[] = [];
  let expected: Expected = 'value';
  TOKEN.lastIndex = 0;
  for (;;) {
    const [, quote, scalar, char = ''] = TOKEN.exec(text) ?? [];
    const end = TOKEN.lastIndex;
    const kind = quote ?? (scalar === undefined ? char : '0');
    if (kind === '' && expected === 'end') return undefined;
    const [described, kinds]: (typeof EXPECTED)[Expected] = EXPECTED[expected];
    if (kind === '' || !kinds.includes(kind)) {
      const at = end - (quote ?? scalar ?? char).length;
      return locate(text, at, `expected ${described}, found ${nameOf(text[at])}`);
    }
    if (quote !== undefined) {
      const last = skipCharacters(text, end);
      if (text[last] !== '"') return locate(text, last, describeString(text[last]));
      TOKEN.lastIndex = last + 1;
    }
    expected = advance(expected, kind, open);
  }
}

/** Where a string that begins here has its closing quote, or is at fault. */
function skipCharacters(text: string, from: number): number {
  for (let at = from; ; at = CHARACTERS.lastIndex) {
    CHARACTERS.lastIndex = at;
    if (!CHARACTERS.test(text)) return at;
  }
}

/** What follows a token; keeps the objects and arrays that are open. */
function advance(expected: Expected, kind: string, open: string[]): Expected {
  if (kind === '{' || kind === '[') {
    open.push(kind);
    return kind === '{' ? 'member' : 'item';
  }
  if (kind === ',') return open.at(-1) === '{' ? 'name' : 'value';
  if (kind === ':') return 'value';
  if (kind === '"' && (expected === 'member' || expected === 'name')) return 'colon';
  if (kind === '}' || kind === ']') open.pop();
  const inside = open.at(-1);
  if (inside === undefined) return 'end';
  return inside === '{' ? 'nextMember' : 'nextItem';
}

function locate(text: string, at: number, problem: string): JsonFault {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1, problem };
}

function describeString(char: string | undefined): string {
  if (char === undefined) return 'the string has no end';
  return char === '\\' ? 'unknown escape in a string' : `${nameOf(char)} must be escaped in a string`;
}

/** Characters that cannot be seen by their number. */
function nameOf(char: string | undefined): string {
  if (char === undefined) return 'the end';
  if (/[!-~]/.test(char)) return char;
  return `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
