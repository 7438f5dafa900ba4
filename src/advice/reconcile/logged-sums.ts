import type { PicoUsd } from '#base';
import type { ProviderRow, ProviderSum } from '#logs';
import { createUsage } from '#canonical';
import { type Amounts, addTo, measure, withoutCost } from './measures.ts';
import { familyOf } from './report-line.ts';

interface Sum {
  amounts: Amounts;
  /** The cost at each price. */
  versions: Map<string, PicoUsd>;
}

/** A family's share of a request; a request has several where its answer named several models. */
export interface Share {
  family: string;
  amounts: Amounts;
}

/** The sums over one provider's rows, by bucket and family of models. Buckets are named by their start. */
export class LoggedSums {
  readonly #buckets = new Map<number, Map<string, Sum>>();
  readonly #widthMs: number;
  requests = 0;
  cost: PicoUsd = 0n;

  constructor(widthMs: number) {
    this.#widthMs = widthMs;
  }

  addSum(sum: ProviderSum): void {
    const amounts = measure(sum.usage, sum);
    const family = familyOf(sum.externalId);
    this.add(sum.at, { family, amounts: sum.isText ? amounts : { cost: sum.cost } });
    const { versions } = this.#open(sum.at, family);
    if (sum.priceVersion !== undefined)
      versions.set(sum.priceVersion, (versions.get(sum.priceVersion) ?? 0n) + sum.cost);
    this.requests += sum.requests;
    this.cost += sum.cost;
  }

  addRow(at: number, row: ProviderRow): void {
    for (const share of listShares(row)) this.add(at, share);
    this.requests += 1;
    this.cost += row.cost;
  }

  add(at: number, { family, amounts }: Share, sign = 1n): void {
    addTo(this.#open(at, family).amounts, amounts, sign);
  }

  /** Moves the counts of a request from one bucket to another. */
  move(shares: readonly Share[], from: number, to: number): void {
    for (const share of shares) {
      this.add(from, share, -1n);
      this.add(to, share);
    }
  }

  /** The sum of all families, unless one is named. */
  sum(from: number, to: number, family?: string): Amounts {
    const total: Amounts = {};
    for (let at = from; at < to; at += this.#widthMs)
      for (const [name, { amounts }] of this.#buckets.get(at) ?? [])
        if (family === undefined || name === family) addTo(total, amounts);
    return total;
  }

  listBuckets(): { at: number; family: string; amounts: Amounts }[] {
    return [...this.#buckets].flatMap(([at, families]) =>
      [...families].map(([family, { amounts }]) => ({ at, family, amounts })),
    );
  }

  /** The price of most of the family's cost in a span, else in all. */
  findVersion(family: string, from = -Infinity, to = Infinity): string | undefined {
    const versions = new Map<string, PicoUsd>();
    for (const [at, families] of this.#buckets)
      if (at >= from && at < to)
        for (const [version, cost] of families.get(family)?.versions ?? [])
          versions.set(version, (versions.get(version) ?? 0n) + cost);
    const [first] = [...versions].toSorted(([, a], [, b]) => Number(b - a));
    if (first) return first[0];
    return from === -Infinity ? undefined : this.findVersion(family);
  }

  listVersions(): string[] {
    const all = [...this.#buckets.values()].flatMap((families) => [...families.values()]);
    return [...new Set(all.flatMap(({ versions }) => [...versions.keys()]))];
  }

  #open(at: number, family: string): Sum {
    const families = this.#buckets.get(at) ?? new Map<string, Sum>();
    this.#buckets.set(at, families);
    const sum = families.get(family) ?? { amounts: {}, versions: new Map<string, PicoUsd>() };
    families.set(family, sum);
    return sum;
  }
}

/** A request by family: a part of its bill names a model by its id, the rest is of the model that answered. */
export function listShares(row: ProviderRow): Share[] {
  const family = familyOf(row.externalId);
  const whole = measure(row.usage, { requests: 1, cost: row.cost });
  if (!row.isText) return [{ family, amounts: { cost: row.cost } }];
  const others = (row.parts ?? []).filter(({ model }) => model !== row.modelId);
  const shares = others.map(({ model, usage, amount }) => ({
    family: familyOf(model),
    amounts: measure(createUsage(usage), { requests: 0, cost: BigInt(amount) }),
  }));
  for (const { amounts } of shares) addTo(whole, amounts, -1n);
  return [{ family, amounts: whole }, ...shares];
}

/** The counts of a request in a usage report. */
export const countsOf = (row: ProviderRow, family: string | undefined): Amounts => {
  const sum: Amounts = {};
  for (const share of listShares(row))
    if (family === undefined || share.family === family) addTo(sum, share.amounts);
  return withoutCost(sum);
};
