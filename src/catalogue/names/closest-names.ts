const MOST_SUGGESTIONS = 3;

/** The names most similar to a given one, best first; empty if none is close. */
export function findClosestNames(name: string, candidates: Iterable<string>): string[] {
  const wanted = name.slice(0, 100).toLowerCase();
  if (wanted === '') return [];
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  const scored: { name: string; distance: number }[] = [];
  for (const candidate of candidates) {
    const distance = measureDistance(wanted, candidate.toLowerCase(), limit);
    if (distance <= limit) scored.push({ name: candidate, distance });
  }
  scored.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return scored.slice(0, MOST_SUGGESTIONS).map((entry) => entry.name);
}

/**
 * Edit distance between two names, in which two swapped characters count as one edit; a name that extends the wanted one counts
 * as the nearest inexact match.
 */
function measureDistance(a: string, b: string, limit: number): number {
  if (b.startsWith(a)) return 1;
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let earlier: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const edited = Math.min(
        (previous[j] ?? 0) + 1,
        (current[j - 1] ?? 0) + 1,
        (previous[j - 1] ?? 0) + cost,
      );
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      current.push(isSwapped ? Math.min(edited, (earlier[j - 2] ?? 0) + 1) : edited);
    }
    earlier = previous;
    previous = current;
  }
  return previous[b.length] ?? limit + 1;
}
