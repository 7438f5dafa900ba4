interface Percentiles {
  p50: number;
  p99: number;
  longest: number;
}

export function toPercentiles(times: readonly number[]): Percentiles {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99), longest: sorted.at(-1) ?? 0 };
}
