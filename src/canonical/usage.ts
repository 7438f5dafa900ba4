/** Token counts as disjoint parts: a token is in exactly one of them. Totals are computed below. */
export interface Usage {
  inputUncached: number;
  inputCacheRead: number;
  inputCacheWrite5m: number;
  inputCacheWrite1h: number;
  inputAudio: number;
  inputImage: number;
  outputText: number;
  outputReasoning: number;
  outputAudio: number;
  outputImage: number;
  /** Searches the provider ran on its own servers; a count, not tokens. */
  webSearches: number;
}

export type UsagePart = keyof Usage;

const EVERY_PART: Record<UsagePart, true> = {
  inputUncached: true,
  inputCacheRead: true,
  inputCacheWrite5m: true,
  inputCacheWrite1h: true,
  inputAudio: true,
  inputImage: true,
  outputText: true,
  outputReasoning: true,
  outputAudio: true,
  outputImage: true,
  webSearches: true,
};

/** All parts; the record above does not compile if one is missing. */
export const USAGE_PARTS = Object.keys(EVERY_PART) as UsagePart[];

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
  if (typeof value !== 'number' || !(value > 0)) return 0;
  return value >= MOST ? MOST : Math.floor(value);
}

export function sumUsages(usages: readonly Usage[]): Usage {
  const sum = createUsage();
  for (const usage of usages) for (const part of USAGE_PARTS) sum[part] += usage[part];
  return sum;
}

export function inputTokensOf(usage: Usage): number {
  return (
    usage.inputUncached +
    usage.inputCacheRead +
    usage.inputCacheWrite5m +
    usage.inputCacheWrite1h +
    usage.inputAudio +
    usage.inputImage
  );
}

export function outputTokensOf(usage: Usage): number {
  return usage.outputText + usage.outputReasoning + usage.outputAudio + usage.outputImage;
}
