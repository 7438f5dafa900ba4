/** A part of a secret shorter than this reveals nothing. */
const PART = 8;
/** Maximum characters of a spelling per character of the secret. */
const LONGEST_STEP = 6;

/** The parts of a secret, in one spelling, to hide. */
interface Spelling {
  length: number;
  parts: ReadonlySet<string>;
}

/**
 * The spellings an upstream may quote a secret in: unchanged, percent-encoded, escaped for JSON, in base64 at any
 * offset, in hexadecimal. Case is ignored in all of them.
 */
export function listSpellings(secret: string): Spelling[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const wide = (prefix: string): string => hex.replaceAll(/../g, (pair) => prefix + pair);
  const texts: [text: string, step: number][] = [
    [secret, 1],
    [encodeURIComponent(secret), 1],
    [JSON.stringify(secret).slice(1, -1), 1],
    ...[0, 1, 2].flatMap((offset): [string, number][] => {
      const text = encodeAt(bytes, offset);
      return [
        [text, 2],
        [text.replaceAll('+', '-').replaceAll('/', '_'), 2],
      ];
    }),
    [hex, 2],
    [wide('%'), 3],
    [wide(String.raw`\u00`), LONGEST_STEP],
  ];
  return texts.map(([text, step]) => toSpelling(text, PART * step, secret));
}

/** The part of base64 that depends only on the secret, after this many preceding bytes. */
function encodeAt(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replaceAll('=', '');
  return text.slice([0, 2, 3][offset], text.length - 1);
}

/** Parts of letters alone may be ordinary words: they only count at the beginning or end of the secret. */
function toSpelling(text: string, length: number, secret: string): Spelling {
  const small = text.toLowerCase();
  const parts = new Set<string>();
  const last = small.length - length;
  for (let at = 0; at <= last; at += 1) {
    const part = small.slice(at, at + length);
    if (text !== secret || at === 0 || at === last || /\d/.test(part)) parts.add(part);
  }
  return { length, parts };
}

/** A text without the parts of such spellings; overlapping parts are hidden as one. */
export function hideParts(text: string, spellings: readonly Spelling[], hidden: string): string {
  const small = text.toLowerCase();
  let clean = '';
  let from = 0; // the first undecided character
  let end = 0; // the end of what is hidden so far
  for (let at = 0; at < small.length; at += 1) {
    const found = spellings.find(({ length, parts }) => parts.has(small.slice(at, at + length)));
    if (!found) continue;
    if (at > end || end === 0) clean += text.slice(from, at) + hidden;
    end = Math.max(end, at + found.length);
    from = end;
  }
  return clean + text.slice(from);
}
