/** Text that PostgreSQL accepts: NUL and lone surrogates become U+FFFD. */
export function toStorableText(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD').toWellFormed();
}

/**
 * The longest id that is looked up, within PostgreSQL's limit for index entries; providers' ids have a hundred
 * characters at most.
 */
const MOST_ID_LENGTH = 512;

/** Whether an id can be looked up in PostgreSQL; ids from providers may be any text. */
export function isStorableId(id: string): boolean {
  return id.length <= MOST_ID_LENGTH && toStorableText(id) === id;
}
