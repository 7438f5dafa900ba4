import type { InputType, ValueKind } from '#fields';
import { MOST_LIMIT, STRATEGIES } from '#app';
import { GatewayError } from '#errors';
import { InvalidArgumentError } from 'commander';
import { readAmountFrom, readRecurringLimit, readWhole } from '../terminal/read-amount.ts';
import { readDurationWithin, readEnd, readSince } from '../terminal/read-time.ts';

/** Parses a value from the command line; throws with a message for the user. */
export type Reader = (text: string) => unknown;

const SECOND_MS = 1_000;

/** How each kind of value is parsed; kinds without a reader are taken as text, or have options of their own. */
const READERS: Record<ValueKind, ((type: InputType<unknown>) => Reader) | undefined> = {
  count: ({ least = 0, most = Number.MAX_SAFE_INTEGER }) => readWhole(least, most),
  end: () => readEnd,
  flag: () => readSwitch,
  parsed: (type) => (text) => readParsed(type, text),
  price: undefined,
  rateLimits: undefined,
  recurringLimit: () => readRecurringLimit,
  routing: undefined,
  seconds: ({ least = 0, most = 0 }) => readSeconds(least, most),
  secret: undefined,
  text: undefined,
  texts: undefined,
  time: () => readSince,
  usd: ({ least = 0 }) => readAmountFrom(BigInt(least)),
  word: undefined,
};

/** The reader of a type. It keeps the word for null, because commander cannot carry null. */
export function findReader(type: InputType<unknown>, none: string): Reader | undefined {
  const read = READERS[type.valueKind]?.(type);
  if (type.isNullable !== true) return read;
  return (text) => (text === none ? text : (read?.(text) ?? text));
}

/** A flag as an argument; as an option it has no value. */
function readSwitch(text: string): boolean {
  if (text === 'on') return true;
  if (text === 'off') return false;
  throw new InvalidArgumentError('Write on or off.');
}

function readParsed({ decode, input }: InputType<unknown>, text: string): unknown {
  try {
    return decode(text, '');
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw new InvalidArgumentError(`It must be ${(input as { description?: string }).description}.`);
  }
}

function readSeconds(least: number, most: number): Reader {
  const read = readDurationWithin(
    least * SECOND_MS,
    most * SECOND_MS,
    `${formatSeconds(least)} to ${formatSeconds(most)}`,
  );
  return (text) => read(text) / SECOND_MS;
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const;

/** 90d, 24h, 1m: in the largest unit that divides it; days only from two on. */
function formatSeconds(seconds: number): string {
  const [unit = 's', size = 1] =
    UNITS.find(([name, each]) => seconds % each === 0 && seconds >= (name === 'd' ? 2 : 1) * each) ?? [];
  return `${seconds / size}${unit}`;
}

/** An option that sets one member of a value. */
interface Part {
  flags: string;
  member: string;
  help: string;
  read(text: string): unknown;
}

const readLimit = readWhole(1, MOST_LIMIT);
const limit = (flags: string, member: string, help: string): Part => ({
  flags,
  member,
  help,
  read: readLimit,
});
const price = (flags: string, member: string, help: string): Part => ({ flags, member, help, read: String });

const listed = (flags: string, member: string, help: string): Part => ({
  flags,
  member,
  help,
  read: (text) => text.split(','),
});
const oneOf = (words: readonly string[], { flags, member, help }: Omit<Part, 'read'>): Part => ({
  flags,
  member,
  help: `${help}: ${words.join(', ')}`,
  read: (text) => {
    if (words.includes(text)) return text;
    throw new InvalidArgumentError(`Known are ${words.join(', ')}.`);
  },
});
const yesOrNo = (flags: string, member: string, help: string): Part => ({
  ...oneOf(['yes', 'no'], { flags, member, help }),
  read: (text) => {
    if (text === 'yes' || text === 'no') return text === 'yes';
    throw new InvalidArgumentError('Write yes or no.');
  },
});

const PARTS: Partial<Record<ValueKind, readonly Part[]>> = {
  rateLimits: [
    limit('--rpm <n>', 'requestsPerMinute', 'the most requests a minute'),
    limit('--tpm <n>', 'tokensPerMinute', 'the most tokens a minute, of prompts and answers'),
    limit('--concurrency <n>', 'concurrency', 'the most requests at the same time'),
  ],
  routing: [
    listed('--order <providers>', 'order', 'these first, in this order, separated by commas'),
    listed('--only <providers>', 'only', 'none but these'),
    listed('--ignore <providers>', 'ignore', 'none of these'),
    yesOrNo('--allow-fallbacks <yes|no>', 'allow_fallbacks', 'whether other providers are tried'),
    {
      flags: '--weights <provider=n>',
      member: 'weights',
      help: 'how often each is tried first: anthropic=3,azure=1',
      read: readWeights,
    },
    oneOf(STRATEGIES, { flags: '--sort <strategy>', member: 'sort', help: 'what to sort by' }),
    oneOf(['allow', 'deny'], {
      flags: '--data-collection <word>',
      member: 'data_collection',
      help: 'training on data',
    }),
    yesOrNo('--zdr <yes|no>', 'zdr', 'only providers that retain no data'),
    listed('--regions <regions>', 'regions', 'only providers that process data there'),
    {
      flags: '--max-price <usd/usd>',
      member: 'max_price',
      help: 'the most per million tokens of input and of output: 3/15, also with request=0.01 and image=0.05',
      read: readMaxPrice,
    },
    listed('--quantizations <names>', 'quantizations', 'only weights of these precisions: bf16,fp8'),
    listed('--fallback-models <models>', 'fallback_models', 'models to try after the requested one'),
  ],
  price: [
    price('--price-input <usd>', 'input', 'USD per million input tokens, such as 3 or 0.25'),
    price('--price-output <usd>', 'output', 'USD per million output tokens'),
    price(
      '--price-cache-read <usd>',
      'cacheRead',
      'USD per million tokens read from a cache (default: as input)',
    ),
    price(
      '--price-cache-write <usd>',
      'cacheWrite5m',
      'USD per million tokens written to a cache for 5 minutes (default: as input)',
    ),
    price('--price-cache-write-1h <usd>', 'cacheWrite1h', 'the same for an hour (default: as for 5 minutes)'),
    price('--price-reasoning <usd>', 'reasoning', 'USD per million tokens of reasoning (default: as output)'),
    price('--price-input-audio <usd>', 'inputAudio', 'the same for audio that is sent (default: as input)'),
    price('--price-output-audio <usd>', 'outputAudio', 'the same for audio of answers (default: as output)'),
    price('--price-input-image <usd>', 'inputImage', 'the same for images that are sent (default: as input)'),
    price('--price-output-image <usd>', 'outputImage', 'the same for images of answers (default: as output)'),
  ],
};

function readWeights(text: string): object {
  const pairs = text.split(',').map((pair) => /^([!-<>-~]+)=(\d{1,4}(?:\.\d{1,6})?)$/.exec(pair.trim()));
  const read = pairs.flatMap((pair) => (pair ? [[pair[1] ?? '', Number(pair[2])] as const] : []));
  if (read.length === pairs.length) return Object.fromEntries(read);
  throw new InvalidArgumentError('Write providers and weights, such as anthropic=3,azure=1.');
}

/** `3/15`, `3/15,image=0.05` or `request=0.01`. */
function readMaxPrice(text: string): object {
  const named = text.replace(/^([\d.]+)\/([\d.]+)(?=,|$)/, 'prompt=$1,completion=$2');
  const pairs = named.split(',').map((part) => MAX_PRICE.exec(part.trim()) ?? refusePrice());
  return Object.fromEntries(pairs.map(([, name = '', price = '']) => [name, price]));
}

const MAX_PRICE = /^(prompt|completion|request|image)=(\d{1,9}(?:\.\d{1,6})?)$/;

function refusePrice(): never {
  throw new InvalidArgumentError('Write two prices, such as 3/15, or names: request=0.01,image=0.05.');
}

/** The options of a type that has several; with ` or none` where a part is nullable. */
export function listParts({ valueKind, isNullable = false }: InputType<unknown>): readonly Part[] {
  const parts = PARTS[valueKind] ?? [];
  if (!isNullable) return parts;
  return parts.map((part) => ({
    ...part,
    help: `${part.help}, or none`,
    // Commander cannot carry a null.
    read: (text) => (text === 'none' ? text : part.read(text)),
  }));
}
