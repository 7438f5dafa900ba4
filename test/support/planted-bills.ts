import assert from 'node:assert/strict';
import type { JsonObject } from '#base';
import { hourOf } from './billed-exports.ts';
import { type Billed, priceOf } from './billing-record.ts';

/** Pages of a provider's administration API. */
export interface Pages {
  usage: JsonObject[];
  costs: JsonObject[];
}

/** Ten faults of five kinds, each in a bucket of its own. */
interface Planted {
  bills: Billed[];
  /** Kind, hour and model of what must be found. */
  expected: string[];
  twice: Billed;
}

/** By the name that the report has for a model: without a date. */
const nameOf = (model: string): string => model.replace(/-(\d{8}|\d{4}-\d\d-\d\d)$/, '');
export const describe = (kind: string, from: number, model: string): string =>
  `${kind} ${new Date(from).toISOString().slice(0, 13)} ${nameOf(model)}`;

export function plant(all: readonly Billed[]): Planted {
  const names = [...new Set(all.map(({ model }) => model))];
  const hours = [...new Set(all.map(({ at }) => hourOf(at)))].toSorted((a, b) => a - b);
  const pick = (hour: number, name: number): Billed => {
    const found = all.find(({ at, model }) => hourOf(at) === hours[hour] && model === names[name]);
    assert.ok(found);
    return found;
  };
  const dropped = [pick(0, 0), pick(6, 1)];
  const billedTwice = pick(7, 0);
  const changed = [pick(3, 0), pick(0, 1)];
  const foreign: Billed[] = [
    { ...pick(3, 1), id: 'foreign_1', input: 4_321, read: 0, written: 0, writtenLong: 0, output: 77 },
    { ...pick(6, 0), id: 'foreign_2', model: 'strange-1', input: 999, output: 111, cost: 5_000_000_000n },
  ].map((bill) => (bill.model === 'strange-1' ? bill : { ...bill, cost: priceOf(bill.model, bill) }));
  const grow = (bill: Billed): Billed => {
    const more = { ...bill, output: bill.output + 500, tier: bill.tier };
    return {
      ...more,
      cost:
        bill.cost +
        priceOf(bill.model, { ...bill, input: 0, read: 0, written: 0, writtenLong: 0, output: 500 }),
    };
  };
  const bills = all
    .filter((bill) => !dropped.includes(bill))
    .map((bill) => (changed.includes(bill) ? grow(bill) : bill));
  const at = (kind: string, bill: Billed): string => describe(kind, hourOf(bill.at), bill.model);
  return {
    bills: [...bills, ...foreign, { ...billedTwice, id: `${billedTwice.id}_again` }],
    expected: [
      ...dropped.map((bill) => at('missing there', bill)),
      at('counted twice', billedTwice),
      ...changed.map((bill) => at('tokens differ', bill)),
      ...foreign.map((bill) => at('missing here', bill)),
    ],
    twice: billedTwice,
  };
}

/** Doubles a result of usage, in another hour than the planted bills. */
export function doubleResult({ usage }: Pages, hour: number): string {
  for (const page of usage) {
    for (const bucket of page['data'] as JsonObject[]) {
      const start = bucket['starting_at'] ?? Number(bucket['start_time']) * 1_000;
      const results = bucket['results'] as JsonObject[];
      if (new Date(start as string).getTime() !== hour) continue;
      results.push({ ...results[0] });
      return describe('counted twice', hour, results[0]?.['model'] as string);
    }
  }
  throw new Error('there is no such hour');
}

/** Makes the cost of a day and of another one higher and lower. */
export function changeCosts({ costs }: Pages): string[] {
  const results = costs.flatMap((page) =>
    (page['data'] as JsonObject[]).flatMap((bucket) =>
      (bucket['results'] as JsonObject[]).map((result) => ({ bucket, result })),
    ),
  );
  const known = results.filter(({ result }) => !JSON.stringify(result).includes('strange'));
  const chosen = [known[0], known.at(-1)];
  return chosen.map((one, at) => {
    assert.ok(one);
    const { amount } = one.result;
    if (typeof amount === 'string') one.result['amount'] = String(Number(amount) + (at === 0 ? 3 : -0.25));
    else
      (amount as JsonObject)['value'] = Number((amount as JsonObject)['value']) + (at === 0 ? 0.03 : -0.0025);
    const start = one.bucket['starting_at'] ?? Number(one.bucket['start_time']) * 1_000;
    const model = one.result['model'] ?? (one.result['line_item'] as string).split(',')[0];
    return describe('cost differs', new Date(start as string).getTime(), model as string);
  });
}
