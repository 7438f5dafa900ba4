/** Tests whether a text is one of these names, in which `*` matches any characters. All in lower case. */
export function createNameCheck(names: readonly string[]): (text: string) => boolean {
  const exact = new Set(names.filter((name) => !name.includes('*')));
  const patterns = names.filter((name) => name.includes('*')).map((name) => name.split('*'));
  return (text) => exact.has(text) || patterns.some((pieces) => matchesPieces(pieces, text));
}

/** Linear in the text, whatever the pattern: each piece matches at its first occurrence. */
function matchesPieces(pieces: readonly string[], text: string): boolean {
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  const end = text.length - last.length;
  let at = first.length;
  if (end < at || !text.startsWith(first) || !text.endsWith(last)) return false;
  for (let index = 1; index < pieces.length - 1; index += 1) {
    const piece = pieces[index] ?? '';
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
