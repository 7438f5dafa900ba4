import type { RateLimits } from '../limits/rate-limits.ts';
import type { ResourceCommand } from './resource.ts';

interface Owner {
  /** As the command line calls it. */
  group: string;
  what: string;
  /** An id for examples. */
  sample: string;
}

/** `keys limits` and `orgs limits`: sets the limits that are given, and shows all. */
export function rateLimitsCommand({
  group,
  what,
  sample,
}: Owner): ResourceCommand<object, { id: string; rateLimits: RateLimits }, never> {
  return {
    name: 'limits',
    operation: 'update',
    inputs: ['rateLimits'],
    summary: `Set or show the rate limits of ${what}: requests and tokens per minute, concurrent requests.`,
    examples: [
      `${group} limits ${sample}`,
      `${group} limits ${sample} --rpm 60 --tpm 100000`,
      `${group} limits ${sample} --concurrency none`,
    ],
    format: ({ id, rateLimits: { requestsPerMinute, tokensPerMinute, concurrency } }) => [
      `${id}: ${requestsPerMinute ?? 'any number of'} requests and ` +
        `${tokensPerMinute ?? 'any number of'} tokens a minute, ${concurrency ?? 'any number of'} requests at once`,
    ],
  };
}
