import type { Command } from 'commander';
import type { RateLimitChange, RateLimits, Stores } from '#app';
import { MOST_LIMIT } from '#app';
import { type CommonOptions, defineCommand } from './command.ts';
import { print } from './output.ts';
import { readWhole } from './read-amount.ts';
import { withStores } from './with-stores.ts';

/** The options by which limits are given; `none` takes one away (commander cannot carry a null). */
interface GivenLimits<Value> {
  rpm?: Value;
  tpm?: Value;
  concurrency?: Value;
}

type Change = GivenLimits<number | 'none'>;

const readLimit = readWhole(1, MOST_LIMIT);

/** Limits of something new: whole numbers. */
export function addRateLimitOptions(command: Command): Command {
  return addOptions(command, readLimit, '');
}

function addOptions(command: Command, read: (text: string) => number | 'none', none: string): Command {
  return command
    .option('--rpm <n>', `the most requests a minute${none}`, read)
    .option('--tpm <n>', `the most tokens a minute, of prompts and answers${none}`, read)
    .option('--concurrency <n>', `the most requests at the same time${none}`, read);
}

/** The limits that were given; those that were not are absent. */
export function toRateLimits({ rpm, tpm, concurrency }: GivenLimits<number>): RateLimits {
  return {
    ...(rpm !== undefined && { requestsPerMinute: rpm }),
    ...(tpm !== undefined && { tokensPerMinute: tpm }),
    ...(concurrency !== undefined && { concurrency }),
  };
}

function toChange({ rpm, tpm, concurrency }: Change): RateLimitChange {
  const toValue = (given: number | 'none'): number | null => (given === 'none' ? null : given);
  return {
    ...(rpm !== undefined && { requestsPerMinute: toValue(rpm) }),
    ...(tpm !== undefined && { tokensPerMinute: toValue(tpm) }),
    ...(concurrency !== undefined && { concurrency: toValue(concurrency) }),
  };
}

export function toJsonRateLimits(limits: RateLimits) {
  const { requestsPerMinute = null, tokensPerMinute = null, concurrency = null } = limits;
  return { requestsPerMinute, tokensPerMinute, concurrency };
}

interface Owner {
  /** As the command line calls it. */
  group: 'keys' | 'orgs';
  what: string;
  id: string;
  change(stores: Stores, id: string, change: RateLimitChange): Promise<RateLimits>;
}

/** `keys limits` and `orgs limits`: sets the limits that are given, and shows all. */
export function createRateLimitsCommand({ group, what, id: sample, change }: Owner): Command {
  const command = defineCommand({
    name: 'limits',
    summary: `Set the requests and tokens a minute of ${what} and its requests at once, or show them.`,
    examples: [
      `${group} limits ${sample}`,
      `${group} limits ${sample} --rpm 60 --tpm 100000`,
      `${group} limits ${sample} --concurrency none`,
    ],
  }).argument('<id>', `the id of ${what}, as listed`);
  const read = (text: string): number | 'none' => (text === 'none' ? text : readLimit(text));
  return addOptions(command, read, ', or none').action(
    async (id: string, options: CommonOptions & Change) => {
      const limits = await withStores(options, (stores) => change(stores, id, toChange(options)));
      const json = toJsonRateLimits(limits);
      print(options, { id, ...json }, () => [
        `${id}: ${json.requestsPerMinute ?? 'any number of'} requests and ` +
          `${json.tokensPerMinute ?? 'any number of'} tokens a minute, ${json.concurrency ?? 'any number of'} requests at once`,
      ]);
    },
  );
}
