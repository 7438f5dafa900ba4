import type { PicoUsd } from '#base';
import type { Mapping } from '../catalogue.ts';

/** The price per token from which a model counts as premium; an operator's setting. */
export interface PremiumRule {
  input: PicoUsd;
  output: PicoUsd;
}

/** Whether a request to this mapping draws on the weekly premium allowance. */
export function isPremium(mapping: Pick<Mapping, 'price' | 'premium'>, rule: PremiumRule): boolean {
  if (mapping.premium !== undefined) return mapping.premium;
  if (mapping.price === undefined) return false;
  const { inputUncached, outputText } = mapping.price.parts;
  return inputUncached >= rule.input || outputText >= rule.output;
}
