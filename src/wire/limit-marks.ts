const MOST_MARKS = 4;

/** How a format writes the lifetime of its cache marks. */
interface MarkWriter<Owner> {
  /** Whether the mark lasts an hour. */
  isLong(owner: Owner): boolean;
  shorten(owner: Owner): void;
  remove(owner: Owner): void;
}

/**
 * Keeps the cache marks of a request within Anthropic's rules, at Bedrock too: at most four, and none of an hour after one of
 * five minutes. The last ones stay, because they cover the longest prefixes.
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
