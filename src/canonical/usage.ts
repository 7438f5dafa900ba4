/** Every usage part, by what it counts: sums and the worst case of a price follow from this table. */
const COUNTED_AS = {
  inputUncached: 'input',
  inputCacheRead: 'input',
  inputCacheWrite5m: 'input',
  inputCacheWrite1h: 'input',
  inputAudio: 'input',
  inputImage: 'input',
  outputText: 'output',
  outputReasoning: 'output',
  outputAudio: 'output',
  outputImage: 'output',
  /** Searches the provider ran on its own servers; a count, not tokens. */
  webSearches: 'search',
} as const satisfies Record<string, 'input' | 'output' | 'search'>;

export type UsagePart = keyof typeof COUNTED_AS;

/** Token counts as disjoint parts: a token is in exactly one of them. Totals are computed below. */
export type Usage = Record<UsagePart, number>;

export const USAGE_PARTS = Object.keys(COUNTED_AS) as UsagePart[];
export const INPUT_PARTS: readonly UsagePart[] = USAGE_PARTS.filter((part) => COUNTED_AS[part] === 'input');
export const OUTPUT_PARTS: readonly UsagePart[] = USAGE_PARTS.filter((part) => COUNTED_AS[part] === 'output');

/** Counts beyond this are clamped: a garbled upstream must not overflow an account. */
const MOST = 1_000_000_000;

/** A usage from any numbers: missing, negative, fractional or absurd ones become the nearest valid count. */
export function createUsage(parts: Partial<Usage> = {}): Usage {
  return {
    inputUncached: toCount(parts.inputUncached),
    inputCacheRead: toCount(parts.inputCacheRead),
    inputCacheWrite5m: toCount(parts.inputCacheWrite5m),
    inputCacheWrite1h: toCount(parts.inputCacheWrite1h),
    inputAudio: toCount(parts.inputAudio),
    inputImage: toCount(parts.inputImage),
    outputText: toCount(parts.outputText),
    outputReasoning: toCount(parts.outputReasoning),
    outputAudio: toCount(parts.outputAudio),
    outputImage: toCount(parts.outputImage),
    webSearches: toCount(parts.webSearches),
  };
}

/** A count from the wire: anything that is not a finite number ≥ 0 is 0. */
export function toCount(value: unknown): number {
  return typeof value === 'number' ? Math.min(MOST, Math.max(0, Math.floor(value) || 0)) : 0;
}

export function sumUsages(usages: readonly Usage[]): Usage {
  const sum = createUsage();
  for (const usage of usages) for (const part of USAGE_PARTS) sum[part] += usage[part];
  return sum;
}

export function inputTokensOf(usage: Usage): number {
  let sum = 0;
  for (const part of INPUT_PARTS) sum += usage[part];
  return sum;
}

/** The same prompt where nothing is read from a cache or written to it. */
export function withoutCache(usage: Usage): Usage {
  const { inputUncached, inputCacheRead, inputCacheWrite5m, inputCacheWrite1h } = usage;
  const cached = inputCacheRead + inputCacheWrite5m + inputCacheWrite1h;
  return {
    ...usage,
    inputUncached: inputUncached + cached,
    inputCacheRead: 0,
    inputCacheWrite5m: 0,
    inputCacheWrite1h: 0,
  };
}

export function outputTokensOf(usage: Usage): number {
  let sum = 0;
  for (const part of OUTPUT_PARTS) sum += usage[part];
  return sum;
}

/** The later of two cumulative counts, unless it is lower: a garbled repeat never reduces a count. */
export function laterUsage(earlier: Usage | undefined, later: Usage | undefined): Usage | undefined {
  if (!earlier || !later) return later ?? earlier;
  return sumOf(later) >= sumOf(earlier) ? later : earlier;
}

function sumOf(usage: Usage): number {
  return inputTokensOf(usage) + outputTokensOf(usage);
}

const BYTES_PER_TOKEN = 4;

/** Estimated tokens of text that no provider has counted: a quarter of its bytes, rounded up. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
