import { countOf, formatCount, writeMoment, writeUsd } from '../../parts/format.ts';
import { AMOUNT, type Field, type Value } from './field.ts';

interface Kind {
  /** The member of a record as it is edited. */
  read(given: unknown): Value;
  /** The member of a body; only for values that are set. */
  write(value: string, values: readonly string[]): unknown;
  show(value: string, field: Field, values: readonly string[]): string;
  /** What is wrong with a value that is set. */
  check?(value: string, field: Field, values: readonly string[]): string | undefined;
}

const toText = (given: unknown): string =>
  typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean' ? String(given) : '';
const pair = (first: unknown, second: unknown): string => {
  const both = `${toText(first)}/${toText(second)}`;
  return both === '/' ? '' : both;
};
/** The two texts of a pair. */
export const split = (value: string): readonly [string, string] => {
  const [first = '', second = ''] = value.split('/');
  return [first, second];
};
const PRICES = [
  { name: 'prompt', label: 'input' },
  { name: 'completion', label: 'output' },
  { name: 'request', label: 'per request' },
  { name: 'image', label: 'per image' },
] as const;
/** The highest prices of a value, in a fixed order. */
export const listPrices = (value: string) => {
  const prices = value.split('/');
  return PRICES.map((one, at) => ({ ...one, price: prices[at] ?? '' }));
};
export const joinPrices = (prices: readonly string[]): string => prices.join('/').replace(/\/+$/, '');
const WEIGHT = /^[!-<>-~]+=\d{1,4}(\.\d+)?$/;
const PRICE = /^(\d{1,9}(\.\d{1,6})?)?$/;

const text: Kind = { read: toText, write: (value) => value.trim(), show: (value) => value };

const choice: Kind = {
  ...text,
  show: (value, { options = [] }) => options.find((option) => option.value === value)?.label ?? value,
};

/** How each kind of field is read, written, shown and checked. */
const KINDS = {
  text,
  choice,
  /** A choice of lengths of time. */
  seconds: { ...choice, write: Number },
  secret: { ...text, read: () => '', show: () => 'a new one, which is not shown' },
  usd: {
    ...text,
    show: writeUsd,
    check: (value) => (AMOUNT.test(value) ? undefined : 'An amount such as 12.50'),
  },
  count: {
    ...text,
    write: Number,
    show: (value, { unit, noun }) => {
      const count = noun === undefined ? formatCount(Number(value)) : countOf(Number(value), noun);
      return unit === undefined ? count : `${count} ${unit}`;
    },
    check: (value, { least = 0, most = Infinity }) => {
      if (/^\d+$/.test(value) && Number(value) >= least && Number(value) <= most) return undefined;
      return `A whole number from ${formatCount(least)}${most === Infinity ? '' : ` to ${formatCount(most)}`}`;
    },
  },
  flag: { ...text, write: (value) => value === 'true', show: (value) => (value === 'true' ? 'on' : 'off') },
  moment: {
    read: (given) => (typeof given === 'string' ? toLocalInput(new Date(given)) : ''),
    write: (value) => new Date(value).toISOString(),
    show: (value) => writeMoment(new Date(value).toISOString()),
    check: (value) => (new Date(value).getTime() > Date.now() ? undefined : 'A time in the future'),
  },
  recurring: {
    read: (given) => {
      const { amount, period } = (given ?? {}) as { amount?: string; period?: string };
      return pair(amount, period);
    },
    write: (value) => {
      const [amount, period] = split(value);
      return { amount, period };
    },
    show: (value) => {
      const [amount, period] = split(value);
      return `${writeUsd(amount)} per ${period}`;
    },
    check: (value) => (AMOUNT.test(split(value)[0]) ? undefined : 'An amount such as 12.50'),
  },
  prices: {
    read: (given) => joinPrices(PRICES.map(({ name }) => toText((given ?? {})[name as keyof object]))),
    write: (value) =>
      Object.fromEntries(
        listPrices(value).flatMap(({ name, price }) => (price === '' ? [] : [[name, price]])),
      ),
    show: (value) =>
      listPrices(value)
        .filter(({ name, price }) => price !== '' || name === 'prompt' || name === 'completion')
        .map(({ label, price }) => `${label} ${price === '' ? 'any' : writeUsd(price)}`)
        .join(', '),
    check: (value) =>
      listPrices(value).every(({ price }) => PRICE.test(price)) ? undefined : 'Prices such as 2.50',
  },
  list: {
    read: (given) => (Array.isArray(given) ? given.map(String) : []),
    write: (_value, values) => values,
    show: (_value, _field, values) => values.join(', '),
  },
  weights: {
    read: (given) => Object.entries(given ?? {}).map(([name, weight]) => `${name}=${weight}`),
    write: (_value, values) =>
      Object.fromEntries(
        values.map((one) => [one.slice(0, one.indexOf('=')), Number(one.slice(one.indexOf('=') + 1))]),
      ),
    show: (_value, _field, values) => values.join(', '),
    check: (_value, _field, values) =>
      values.every((one) => WEIGHT.test(one)) ? undefined : 'Providers with weights, such as openai=2',
  },
} satisfies Record<string, Kind>;

export type KindName = keyof typeof KINDS;

export const kindOf = ({ kind }: Pick<Field, 'kind'>): Kind => KINDS[kind];

/** The text that an input of local date and time takes. */
function toLocalInput(date: Date): string {
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
}
