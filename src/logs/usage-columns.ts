import type { Usage, UsagePart } from '#canonical';

/** The column of each usage part in `request_log` and the tables of sums. */
export const USAGE_COLUMNS = {
  inputUncached: 'input_uncached',
  inputCacheRead: 'input_cache_read',
  inputCacheWrite5m: 'input_cache_write_5m',
  inputCacheWrite1h: 'input_cache_write_1h',
  inputAudio: 'input_audio',
  inputImage: 'input_image',
  outputText: 'output_text',
  outputReasoning: 'output_reasoning',
  outputAudio: 'output_audio',
  outputImage: 'output_image',
  webSearches: 'web_searches',
} as const satisfies Record<UsagePart, string>;

export type UsageColumn = (typeof USAGE_COLUMNS)[keyof typeof USAGE_COLUMNS];

/** The counts in a row of a request or of a sum; those of a sum may exceed what one request can use. */
export function readCounts(row: Readonly<Record<UsageColumn, string>>): Usage {
  const counts = Object.entries(USAGE_COLUMNS).map(([part, column]) => [part, Number(row[column])]);
  return Object.fromEntries(counts) as Usage;
}
