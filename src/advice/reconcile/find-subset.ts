import { type Amounts, isEqual, sumAmounts } from './measures.ts';

/** Sums of all subsets of more take too long. */
const MOST = 14;

/** Some of the candidates that add up to an amount exactly, the fewest; absent if there are none. */
export function findSubset<Candidate extends { amounts: Amounts }>(
  candidates: readonly Candidate[],
  amount: Amounts,
): Candidate[] | undefined {
  const single = candidates.find((one) => isEqual(amount, one.amounts));
  if (single) return [single];
  const all = candidates.slice(0, MOST);
  let best: Candidate[] | undefined;
  for (let mask = 1; mask < 2 ** all.length; mask += 1) {
    const chosen = all.filter((_, at) => (mask >> at) % 2 === 1);
    const isLess = chosen.length < (best?.length ?? Infinity);
    if (isLess && isEqual(amount, sumAmounts(chosen.map(({ amounts }) => amounts)))) best = chosen;
  }
  return best;
}
