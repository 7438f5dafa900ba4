import type { CatalogueFiles, MappingFile } from '../schema/file-schema.ts';

/** The catalogue of a moment, and the next moment at which it changes. */
export interface FilesAt {
  files: CatalogueFiles;
  nextAt?: number;
}

type Dated = Pick<MappingFile, 'price' | 'nextPrice'>;

/** A mapping with the price that counts at a moment; a price of a later day stays alongside it. */
export function datePrice<Entry extends Dated>(entry: Entry, now: number): Entry {
  const next = entry.nextPrice;
  if (next === undefined || now < Date.parse(next.from)) return entry;
  const { nextPrice: _, ...rest } = entry;
  return { ...rest, price: next.price } as Entry;
}

/** When a mapping's price changes next. */
function nextPriceAt({ nextPrice }: Dated, now: number): number {
  const from = nextPrice === undefined ? Infinity : Date.parse(nextPrice.from);
  return from > now ? from : Infinity;
}

/** The files with the prices that count at a moment. */
export function datePrices({ providers, models }: CatalogueFiles, now: number): FilesAt {
  const moments = models.flatMap(({ mappings }) => mappings.map((mapping) => nextPriceAt(mapping, now)));
  const nextAt = Math.min(Infinity, ...moments);
  const dated = models.map((model) => ({
    ...model,
    mappings: model.mappings.map((mapping) => datePrice(mapping, now)),
  }));
  return { files: { providers, models: dated }, ...(nextAt < Infinity && { nextAt }) };
}
