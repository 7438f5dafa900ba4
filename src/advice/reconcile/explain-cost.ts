import type { PicoUsd } from '#base';
import type { Catalogue, Price } from '#catalogue';
import type { ProviderRow } from '#logs';
import type { Explanation } from './difference.ts';
import { type Amounts, priceTokens } from './measures.ts';

/** A cost that differs by more than the usage does. */
interface CostGap {
  theirs: PicoUsd;
  ours: PicoUsd;
  /** The rest of theirs − ours. */
  rest: PicoUsd;
  /** Theirs without a discount. */
  listCost?: PicoUsd | undefined;
  /** Requests with an estimated usage, without a price, or with prices of their own. */
  marked: readonly ProviderRow[];
  /** Whether the export has no usage that would show what estimates are off by. */
  isCostAlone: boolean;
}

/** The explanation of a whole gap, by rows or by the export itself. */
export function explainCost(gap: CostGap): Explanation | undefined {
  return explainDiscount(gap) ?? explainUnpriced(gap) ?? explainModifier(gap) ?? explainEstimate(gap);
}

function explainDiscount({ theirs, rest, listCost }: CostGap): Explanation | undefined {
  if (listCost === undefined || listCost === theirs || rest + listCost - theirs !== 0n) return undefined;
  const text = 'the provider’s discount: its list prices equal the gateway’s';
  return { cause: 'discount', text, requestIds: [], amounts: { cost: rest } };
}

function explainUnpriced({ rest, marked }: CostGap): Explanation | undefined {
  const unpriced = marked.filter(
    ({ priceVersion, parts = [] }) =>
      priceVersion === undefined || parts.some(({ factors }) => factors.some((factor) => factor.unpriced)),
  );
  if (rest < 0n || unpriced.length === 0) return undefined;
  const text = 'the gateway knew no price for these requests (allowUnpriced)';
  return { cause: 'unpriced', text, requestIds: idsOf(unpriced), amounts: { cost: rest } };
}

/** Rows with a modifier, all of which the provider billed without it or, as a priority tier, does not report here. */
function explainModifier({ rest, marked }: CostGap): Explanation | undefined {
  const groups = new Map<string, { rows: ProviderRow[]; added: PicoUsd }>();
  for (const row of marked)
    for (const { name, value, amount } of row.parts?.flatMap(({ factors }) => factors) ?? []) {
      const key = `${name} ${value}`;
      const group = groups.get(key) ?? { rows: [], added: 0n };
      groups.set(key, { rows: [...group.rows, row], added: group.added + BigInt(amount) });
    }
  for (const [key, { rows, added }] of groups) {
    const explain = (text: string): Explanation => ({
      cause: 'modifier',
      text: `${key}: ${text}`,
      requestIds: idsOf(rows),
      amounts: { cost: rest },
    });
    const total = rows.reduce((sum, { cost }) => sum + cost, 0n);
    if (added !== 0n && rest === -added) return explain('the provider billed these requests without it');
    if (rest === -total) return explain('the report does not have the cost of these requests');
  }
  return undefined;
}

function explainEstimate({ rest, marked, isCostAlone }: CostGap): Explanation | undefined {
  const estimated = marked.filter(({ isEstimated }) => isEstimated);
  const most = estimated.reduce((sum, { cost }) => sum + cost, 0n);
  if (!isCostAlone || rest > most || rest < -most) return undefined;
  const text = 'the gateway estimated the usage of these requests';
  return { cause: 'estimate', text, requestIds: idsOf(estimated), amounts: { cost: rest } };
}

const idsOf = (rows: readonly ProviderRow[]): string[] => [
  ...new Set(rows.map(({ requestId }) => requestId)),
];

/** A value of a price-changing option, and its price factor. */
export interface KnownFactor {
  name: string;
  factor: string;
}

/** Half of the price at every provider that has one. */
const BATCH: KnownFactor = { name: 'a batch', factor: '0.5' };

export function listFactors({ models, providers }: Catalogue, providerId: string): KnownFactor[] {
  const mappings = [...models.values()].flatMap((model) => model.mappings);
  const all = [
    providers.get(providerId)?.modifiers,
    ...mappings.filter((one) => one.providerId === providerId).map((one) => one.modifiers),
  ];
  const factors = all.flatMap((modifiers) =>
    Object.entries(modifiers ?? {}).flatMap(([name, { values = {} }]) =>
      Object.entries(values).flatMap(([value, { factor }]) =>
        factor === undefined ? [] : [{ name: `${name} ${value}`, factor }],
      ),
    ),
  );
  const known = new Map([...factors, BATCH].map((one) => [`${one.name} ${one.factor}`, one]));
  return [...known.values()].filter(({ factor }) => factor !== '1');
}

/** Prices that would lead to the provider's cost. Not a proof: nothing in the rows shows that they applied. */
export function listPriceHints(
  { theirs, ours, rest }: Pick<CostGap, 'theirs' | 'ours' | 'rest'>,
  { usage, price, factors }: { usage: Amounts; price: Price | undefined; factors: readonly KnownFactor[] },
): string[] {
  const hints = factors
    .filter(({ factor }) => ours > 0n && isTimes(theirs, ours, factor))
    .map(({ name, factor }) => `${name} (× ${factor}) would be this cost`);
  if (!price) return hints;
  const { inputCacheWrite5m: short, inputCacheWrite1h: long } = price.parts;
  const longer = (usage.cache_write_5m ?? 0n) * (long - short);
  const shorter = (usage.cache_write_1h ?? 0n) * (short - long);
  if (longer !== 0n && rest === longer)
    hints.push('cache writes billed for 1 h instead of 5 minutes would be it');
  if (shorter !== 0n && rest === shorter)
    hints.push('cache writes billed for 5 minutes instead of 1 h would be it');
  for (const { aboveInputTokens, parts } of price.tiers) {
    const base = priceTokens(price, usage);
    if (priceTokens({ ...price, parts }, usage) - base === rest && rest !== 0n)
      hints.push(`the price above ${aboveInputTokens} input tokens would be this cost`);
  }
  return hints;
}

const isTimes = (product: PicoUsd, amount: PicoUsd, factor: string): boolean =>
  product === multiply(amount, factor);

/** By a decimal such as `1.1`, rounded up as the bill of a request is. */
export function multiply(amount: PicoUsd, factor: string): PicoUsd {
  const [whole = '', fraction = ''] = factor.split('.');
  const unit = 10n ** BigInt(fraction.length);
  const product = amount * BigInt(whole + fraction);
  const rest = product % unit;
  return product / unit + (rest > 0n ? 1n : 0n);
}
