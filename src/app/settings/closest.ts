/** The known names closest to a mistyped one, best first. */
export function findClosest(name: string, known: Iterable<string>): string[] {
  const limit = Math.max(2, Math.floor(name.length / 3));
  return [...known]
    .map((candidate) => ({
      candidate,
      distance: measureDistance(name.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .map(({ candidate }) => candidate);
}

/** A hint for a command that names an unknown provider. */
export function suggestProvider(name: string, known: Iterable<string>): string {
  const [closest] = findClosest(name, known);
  return closest === undefined ? 'npx sluice providers list --all names them' : `did you mean ${closest}?`;
}

/** How many characters must be inserted, deleted or replaced to turn one into the other. */
function measureDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 0; row < a.length; row += 1) {
    const current = [row + 1];
    for (let column = 0; column < b.length; column += 1) {
      const replaced = (previous[column] ?? 0) + (a[row] === b[column] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
