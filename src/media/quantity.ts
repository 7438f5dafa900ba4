import type { Usage } from '#canonical';
import type { UnitCount } from '#catalogue';
import type { Quantity } from './contract.ts';
import { type JsonObject, isJsonObject } from '#base';
import { createUsage, isBelievable, toCount } from '#canonical';

/** A quantity from any numbers of tokens, and counts. */
export function createQuantity(parts: Partial<Usage> = {}, units: readonly UnitCount[] = []): Quantity {
  return { usage: createUsage(parts), units };
}

/** Input tokens reported by a provider; zero is treated as unreported. */
export function readInputTokens({ usage }: JsonObject): Quantity | undefined {
  if (!isJsonObject(usage) || !isBelievable(usage)) return undefined;
  const tokens = toCount(usage['prompt_tokens'] ?? usage['total_tokens']);
  return tokens > 0 ? createQuantity({ inputUncached: tokens }) : undefined;
}
