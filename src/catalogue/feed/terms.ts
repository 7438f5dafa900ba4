import { parseUsd } from '#base';
import type { MappingFile } from '../schema/file-schema.ts';
import type { HostedToolEntry } from '../schema/hosted-tool-schema.ts';

/** The price-related part of an entry, whose changes are announced before they apply. */
export type PriceTerms = Partial<Pick<MappingFile, 'price' | 'modifiers' | 'hostedTools' | 'regional'>>;

const NAMES = ['price', 'modifiers', 'hostedTools', 'regional'] as const;

export function termsOf(entry: PriceTerms): PriceTerms {
  return Object.fromEntries(
    NAMES.flatMap((name) => (entry[name] === undefined ? [] : [[name, entry[name]]])),
  ) as PriceTerms;
}

/** An entry with other terms. */
export function withTerms<Entry extends PriceTerms>(entry: Entry, terms: PriceTerms): Entry {
  const { price: _, modifiers: __, hostedTools: ___, regional: ____, ...bare } = entry;
  return { ...bare, ...terms } as Entry;
}

/** Whether nothing costs another amount; the order of members does not matter. */
export function sameTerms(a: PriceTerms, b: PriceTerms): boolean {
  return print(termsOf(a)) === print(termsOf(b));
}

function print(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/** How many times its amount a price may become without a confirmation. */
const MOST_TIMES = 10n;

/** One amount that differs. */
export interface ChangedAmount {
  /** Such as `input` or `tiers.0.output`. */
  name: string;
  before?: string;
  after?: string;
  /** More than ten times as much, or as little. */
  isJump: boolean;
}

/** Every amount of two terms that differs. */
export function compareTerms(before: PriceTerms, after: PriceTerms): ChangedAmount[] {
  const [old, next] = [listAmounts(before), listAmounts(after)];
  const names = new Set([...old.keys(), ...next.keys()]);
  return [...names].flatMap((name) => {
    const [was, is] = [old.get(name), next.get(name)];
    if (was === is) return [];
    const isJump = isOutOfProportion(name, was, is);
    return [
      { name, ...(was !== undefined && { before: was }), ...(is !== undefined && { after: is }), isJump },
    ];
  });
}

/** Parts that a token price must have; without one of them the model loses its price. */
const NEEDED = new Set(['input', 'output']);

function isOutOfProportion(name: string, before: string | undefined, after: string | undefined): boolean {
  if (before === undefined) return false;
  if (after === undefined) return NEEDED.has(name);
  const [was, is] = [parseUsd(before) ?? 0n, parseUsd(after) ?? 0n];
  if (was === 0n || is === 0n) return was !== is;
  return is > was * MOST_TIMES || was > is * MOST_TIMES;
}

/** The amounts of terms by name. */
function listAmounts({ price, modifiers, hostedTools, regional }: PriceTerms): Map<string, string> {
  const amounts = new Map<string, string>();
  collect(price, '', amounts);
  collect(modifiers, 'modifiers.', amounts);
  if (regional) amounts.set('regional.priceFactor', regional.priceFactor);
  for (const tool of hostedTools ?? []) collect(toolAmounts(tool), `${nameTool(tool)}.`, amounts);
  return amounts;
}

const nameTool = ({ tool, models = [] }: HostedToolEntry): string =>
  ['hostedTools', tool, ...models].join('.');

const toolAmounts = (entry: HostedToolEntry): unknown => ('usd' in entry ? { usd: entry.usd } : {});

const DECIMAL = /^\d+(\.\d+)?$/;

function collect(value: unknown, prefix: string, amounts: Map<string, string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'string' && DECIMAL.test(member)) amounts.set(prefix + name, member);
    else collect(member, `${prefix}${name}.`, amounts);
  }
}
