import { isJsonObject } from '#base';
import type { ColumnAssignment } from '../change-row.ts';

/** The rate limits of a key, an organization, a provider or a credential; an absent one is unlimited. */
export interface RateLimits {
  requestsPerMinute?: number;
  tokensPerMinute?: number;
  /** Requests at the same time. */
  concurrency?: number;
}

/** A change of limits: `null` removes one, an absent one stays. */
export type RateLimitChange = { [Name in keyof RateLimits]?: number | null };

/** What a limit counts. */
export type LimitKind = 'requests' | 'tokens' | 'concurrency';

/** One limit that a request must fit. */
export interface RateLimit {
  owner: 'key' | 'organization' | 'provider' | 'credential';
  kind: LimitKind;
  /** Names the counter, identically in every process. */
  counter: string;
  most: number;
}

export const MOST_LIMIT = 1_000_000_000;

const KINDS: readonly [keyof RateLimits, LimitKind][] = [
  ['requestsPerMinute', 'requests'],
  ['tokensPerMinute', 'tokens'],
  ['concurrency', 'concurrency'],
];

/** Parses stored limits; a value that is not a count limits nothing. */
export function parseRateLimits(value: unknown): RateLimits {
  const limits: RateLimits = {};
  if (!isJsonObject(value)) return limits;
  for (const [name] of KINDS) {
    const most = value[name];
    if (isCount(most)) limits[name] = most;
  }
  return limits;
}

/** Changes the stored limits of a row. */
export const assignRateLimits = (change: RateLimitChange): ColumnAssignment => [
  `rate_limits = jsonb_strip_nulls(COALESCE(rate_limits, '{}') || $::jsonb)`,
  JSON.stringify(change),
];

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST_LIMIT;
}

/** Every limit that applies to a key; undefined if there is none. */
export function listRateLimits(
  key: { id: string; limits: unknown },
  organization: { id: string; limits: unknown },
): readonly RateLimit[] | undefined {
  const limits = [...listLimitsOf('key', key), ...listLimitsOf('organization', organization)];
  return limits.length === 0 ? undefined : limits;
}

/** The limits of one owner. */
export function listLimitsOf(
  owner: RateLimit['owner'],
  { id, limits }: { id: string; limits: unknown },
): RateLimit[] {
  const parsed = parseRateLimits(limits);
  return KINDS.flatMap(([name, kind]) => {
    const most = parsed[name];
    return most === undefined ? [] : [{ owner, kind, counter: `limit:${kind}:${id}`, most }];
  });
}
