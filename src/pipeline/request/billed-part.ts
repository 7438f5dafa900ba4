import type { Mapping, PricedPart } from '#catalogue';

/** A part of a bill, with the mapping whose price it has. */
export interface BilledPart extends PricedPart {
  mapping: Mapping;
}
