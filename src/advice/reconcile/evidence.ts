import type { PicoUsd } from '#base';
import type { Price } from '#catalogue';
import type { ProviderAttempt, ProviderReader, ProviderRow } from '#logs';
import { restorePrice } from '#catalogue';
import type { Evidence } from './explain-counts.ts';
import type { KnownFactor } from './explain-cost.ts';
import { type Amounts, priceTokens } from './measures.ts';
import type { LoggedSums } from './logged-sums.ts';
import { familyOf } from './report-line.ts';

/** A bucket and, if the export names it, a family of models. */
interface BucketFamily {
  from: number;
  to: number;
  family?: string;
}

/** Requests longer than this are rare, and not looked for before the span. */
export const EDGE_MS = 6 * 3_600_000;
/** The most buckets whose rows are read; others are listed without an explanation. */
const MOST_BUCKETS = 200;
const MOST_ROWS = 20_000;

interface Sources {
  log: ProviderReader;
  sums: LoggedSums;
  span: { providerId: string; since: number; until: number };
  countedBy: 'start' | 'end';
  factors: readonly KnownFactor[];
}

/** Reads rows, calls and prices of buckets that differ, once each. */
export class EvidenceReader {
  readonly #sources: Sources;
  readonly #rows = new Map<string, Promise<ProviderRow[]>>();
  #attempts: Promise<ProviderAttempt[]> | undefined;
  #prices: Promise<Map<string, Price>> | undefined;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  get factors(): readonly KnownFactor[] {
    return this.#sources.factors;
  }

  async read(place: BucketFamily): Promise<Evidence> {
    const { countedBy } = this.#sources;
    const rows = await this.#readRows('all', place);
    const isOf = (externalId: string): boolean =>
      place.family === undefined || familyOf(externalId) === place.family;
    const isIn = ({ startedAt, endedAt }: ProviderRow): boolean => {
      const moment = countedBy === 'start' ? startedAt : endedAt;
      return moment >= place.from && moment < place.to;
    };
    const attempts = await this.listAttempts();
    return {
      rows: rows.filter((row) => row.isText && isIn(row) && isOf(row.externalId)),
      attempts: attempts.filter(
        (one) => isOf(one.externalId) && one.startedAt < place.to && one.endedAt >= place.from,
      ),
    };
  }

  async listMarked(place: BucketFamily): Promise<ProviderRow[]> {
    const rows = await this.#readRows('marked', place);
    return rows.filter(
      ({ externalId, startedAt }) =>
        startedAt >= place.from && (place.family === undefined || familyOf(externalId) === place.family),
    );
  }

  listAttempts(): Promise<ProviderAttempt[]> {
    const { log, span } = this.#sources;
    this.#attempts ??= log.listAttempts({ ...span, since: span.since - EDGE_MS });
    return this.#attempts;
  }

  /** The price at which most of a family's usage in a bucket was charged. */
  async findPrice({ from, to, family }: BucketFamily): Promise<Price | undefined> {
    const version = family === undefined ? undefined : this.#sources.sums.findVersion(family, from, to);
    return version === undefined ? undefined : (await this.#readPrices()).get(version);
  }

  /** The cost of counts at that price; absent if it is unknown. */
  async price(place: BucketFamily, amounts: Amounts): Promise<PicoUsd | undefined> {
    const price = await this.findPrice(place);
    return price && priceTokens(price, amounts);
  }

  async findVersion(version: string | undefined): Promise<Price | undefined> {
    return version === undefined ? undefined : (await this.#readPrices([version])).get(version);
  }

  async #readRows(kind: 'all' | 'marked', { from, to }: BucketFamily): Promise<ProviderRow[]> {
    const key = `${kind} ${from} ${to}`;
    const kept = this.#rows.get(key);
    if (kept) return kept;
    if (this.#rows.size >= MOST_BUCKETS) return [];
    const { log, span, countedBy } = this.#sources;
    const since = countedBy === 'start' ? from : from - EDGE_MS;
    // More rows than these prove nothing: too many of them would fit.
    const read = log.listRows({ ...span, since, until: to }, { kind }, MOST_ROWS).catch((error: unknown) => {
      if (error instanceof Error && error.message.startsWith('more than')) return [];
      throw error;
    });
    this.#rows.set(key, read);
    return read;
  }

  async #readPrices(more: readonly string[] = []): Promise<Map<string, Price>> {
    this.#prices ??= this.#loadPrices(this.#sources.sums.listVersions());
    const prices = await this.#prices;
    const unknown = more.filter((version) => !prices.has(version));
    if (unknown.length > 0)
      for (const [version, price] of await this.#loadPrices(unknown)) prices.set(version, price);
    return prices;
  }

  async #loadPrices(versions: readonly string[]): Promise<Map<string, Price>> {
    const stored = await this.#sources.log.listPrices(versions);
    return new Map([...stored].map(([version, text]) => [version, restorePrice(version, text)]));
  }
}
