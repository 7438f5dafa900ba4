import type { JsonObject, PicoUsd } from '#base';
import type { Amounts } from './measures.ts';

/** A line of a provider's export. Times are milliseconds since the Unix epoch. */
export interface ReportLine {
  /** Where it is, such as `usage.json: data[3].results[0]`. */
  place: string;
  /** One request, the usage of a bucket, or a bucket's cost without its usage. */
  kind: 'request' | 'usage' | 'cost';
  from: number;
  /** Exclusive; for a request the end of the hour if only that is known, else `from`. */
  to: number;
  /** Absent if the export has none. */
  model?: string;
  upstreamId?: string;
  amounts: Amounts;
  /** The cost without a discount. */
  listCost?: PicoUsd;
  /** Everything else that distinguishes lines of a bucket, such as a service tier. */
  facts: Readonly<Record<string, string>>;
}

export interface ProviderReport {
  lines: ReportLine[];
  /** Those it covers, with lines or without. */
  buckets: { from: number; to: number; kind: 'usage' | 'cost' }[];
  /** The widths that were asked for, in case there is no bucket at all. */
  widths?: Partial<Record<'usage' | 'cost', number>>;
  /** Notes on lines that cannot be compared, and on missing ones. */
  remarks: string[];
}

/** Adds an entry of `data` to a report; returns the names of members that are not compared. */
export type ReportFormat = (report: ProviderReport, place: string, entry: JsonObject) => string[];

/** A file that is no export; the message names the place. */
export class ReportFault extends Error {
  constructor(place: string, message: string) {
    super(`${place}: ${message}`);
    this.name = 'ReportFault';
  }
}

const DATED = /(?:[-@]\d{8}|-\d{4}-\d{2}-\d{2}|-latest)$/;

/** A model with its dated variants: providers report the variant that an undated name stood for. */
export const familyOf = (model: string): string => model.toLowerCase().replace(DATED, '');
