/** Text that PostgreSQL takes: NUL and lone surrogates become U+FFFD. */
export function toStorableText(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD').toWellFormed();
}
