/** One line of a bill: units × price ÷ per = amount. Amounts and prices are pico-USD. */
export interface BillLine {
  /** A usage part, `request`, a counted unit, or the field whose value multiplies the lines above it. */
  part: string;
  /** The kind of a unit, or the value of a field. */
  detail?: string;
  /** Who billed it; absent where a row of an earlier version does not say. */
  providerId?: string;
  /** The model that is billed, and the version of its prices. */
  model?: string;
  priceVersion: string;
  units: number;
  price: bigint;
  /** How many units the price is for; 1 except for audio and tool time, in milliseconds at a price by the hour. */
  per: number;
  /** A multiplier of the tokens above it; units and price are then 0. */
  factor?: string;
  amount: bigint;
}

/** What a request cost, line by line. Amounts are pico-USD. */
export interface Bill {
  /** At the prices of the request; empty if it was free or they are unknown. */
  lines: BillLine[];
  isPriceKnown: boolean;
  /** The sum of the lines. */
  total: bigint;
  /** What the provider charges; differs from the total if several generations were created for one request. */
  provider: bigint;
  /** What the customer paid. */
  customer: bigint;
}
