/** A part of a secret that is shorter than this gives nothing away. */
const PART = 8;
/** How many characters of a spelling stand for one of the secret, at most. */
const LONGEST_STEP = 6;

/** The parts of a secret, in one spelling, that must not be shown. */
interface Spelling {
  length: number;
  parts: ReadonlySet<string>;
}

/**
 * The spellings an upstream may quote a secret in: as it is, percent-encoded, escaped for JSON, in base64 at any offset, in
 * hexadecimal. Case is ignored in all of them.
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

/** What of base64 depends on nothing but the secret, where so many bytes stand before it. */
function encodeAt(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replaceAll('=', '');
  return text.slice([0, 2, 3][offset], text.length - 1);
}

/** Parts of letters alone may be words of anybody: they count where the secret begins or ends with them. */
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

/** A text without the parts of such spellings; what overlaps is hidden as one. */
export function hideParts(text: string, spellings: readonly Spelling[], hidden: string): string {
  const small = text.toLowerCase();
  let clean = '';
  let from = 0; // the first character that is not yet decided on
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
