import { toShare } from './share.ts';

/** The unit of assignment: requests with the same one get the same variant. */
export const ASSIGNMENT_UNITS = ['session', 'key', 'end-user', 'request'] as const;

/** A variant and its share of the requests. */
export interface ExperimentVariant {
  name: string;
  /** A model, or one provider's offer of it. */
  to: string;
  /** The share of requests, from 0 to 100; the rest are the control group. */
  percent: number;
}

/** A share of the requests for a model that is answered by another model or provider. */
export interface Experiment {
  name: string;
  /** The requested model. */
  model: string;
  /** Absent for all projects. */
  projects?: readonly string[];
  by: (typeof ASSIGNMENT_UNITS)[number];
  variants: readonly ExperimentVariant[];
}

/** The variant of a unit; undefined for the control group. More percent for the last variant take no unit from another. Pure. */
export function assignVariant(
  { name, variants }: Pick<Experiment, 'name' | 'variants'>,
  unit: string,
): ExperimentVariant | undefined {
  const point = toShare(`${name} ${unit}`) * 100;
  let end = 0;
  for (const variant of variants) {
    end += variant.percent;
    if (point < end) return variant;
  }
  return undefined;
}
