const MOST_MARKS = 4;

/** Reads and writes the lifetime of a format's cache marks. */
interface MarkWriter<Owner> {
  /** Whether the mark lasts one hour. */
  isLong(owner: Owner): boolean;
  shorten(owner: Owner): void;
  remove(owner: Owner): void;
}

/**
 * Keeps cache marks within Anthropic's rules, also on Bedrock: at most four, and no one-hour mark after a five-minute
 * one. The last ones are kept, because they cover the longest prefixes.
 */
export function limitMarks<Owner>(marked: readonly Owner[], writer: MarkWriter<Owner>): void {
  const surplus = Math.max(0, marked.length - MOST_MARKS);
  let hasShort = false;
  for (const [at, owner] of marked.entries()) {
    if (at < surplus) writer.remove(owner);
    else if (!writer.isLong(owner)) hasShort = true;
    else if (hasShort) writer.shorten(owner);
  }
}
