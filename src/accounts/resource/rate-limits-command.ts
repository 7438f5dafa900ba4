import { formatCount } from '#base';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { CommandGroup, ResourceCommand } from './resource.ts';

/** `keys limits` and `orgs limits`: sets the limits that are given, and shows all. */
export function rateLimitsCommand({
  group,
  what,
  sample,
}: CommandGroup): ResourceCommand<object, { id: string; rateLimits: RateLimits }, never> {
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
      `${id}: ${formatLimit(requestsPerMinute, 'request')} and ${formatLimit(tokensPerMinute, 'token')} a minute, ` +
        `${formatLimit(concurrency, 'request')} at once`,
    ],
  };
}

const formatLimit = (most: number | undefined, noun: string): string =>
  most === undefined ? `any number of ${noun}s` : formatCount(most, noun);
