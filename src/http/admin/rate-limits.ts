import type { RateLimitChange, RateLimits } from '#accounts';
import type { JsonObject } from '#base';
import type { Static } from 'typebox';
import type { rateLimitsField } from './fields.ts';

export function decodeRateLimits(body: Static<typeof rateLimitsField>): RateLimitChange {
  const change: RateLimitChange = {};
  if (body.requests_per_minute !== undefined) change.requestsPerMinute = body.requests_per_minute;
  if (body.tokens_per_minute !== undefined) change.tokensPerMinute = body.tokens_per_minute;
  if (body.concurrency !== undefined) change.concurrency = body.concurrency;
  return change;
}

/** The limits of something new, which has none to take away. */
export function decodeFirstRateLimits(body: Static<typeof rateLimitsField>): RateLimits {
  const given = Object.entries(decodeRateLimits(body)).filter(([, most]) => most !== null);
  return Object.fromEntries(given);
}

export function encodeRateLimits(limits: RateLimits): JsonObject {
  return {
    requests_per_minute: limits.requestsPerMinute ?? null,
    tokens_per_minute: limits.tokensPerMinute ?? null,
    concurrency: limits.concurrency ?? null,
  };
}
