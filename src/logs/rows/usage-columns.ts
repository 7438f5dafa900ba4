import { type SnakeCase, toSnakeCase } from '#base';
import { USAGE_PARTS, type Usage, type UsagePart } from '#canonical';

/** The column of each usage part in `request_log` and the tables of sums. */
export const USAGE_COLUMNS = Object.fromEntries(USAGE_PARTS.map((part) => [part, toSnakeCase(part)])) as {
  readonly [Part in UsagePart]: SnakeCase<Part>;
};

export type UsageColumn = SnakeCase<UsagePart>;

/** The counts in a row of a request or of a sum; those of a sum may exceed what one request can use. */
export function readCounts(row: Readonly<Record<UsageColumn, string>>): Usage {
  const counts = Object.entries(USAGE_COLUMNS).map(([part, column]) => [part, Number(row[column])]);
  return Object.fromEntries(counts) as Usage;
}
