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

/**
 * The messages behind which the gateway sets marks: the last one, and the one at which the request before ended. Providers
 * look only a limited number of blocks back from a mark for what is cached.
 */
export function findMarkedMessages(roles: readonly unknown[]): number[] {
  const answer = roles.lastIndexOf('assistant');
  const before = answer <= 0 ? -1 : roles.lastIndexOf('user', answer - 1);
  const last = roles.length - 1;
  return [before, last].filter((at, place, all) => at >= 0 && all.indexOf(at) === place);
}
