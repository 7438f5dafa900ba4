import type { Mapping } from '#catalogue';
import type { Quantity } from '../contract.ts';
import type { EmbeddingInput } from './request.ts';
import { estimateTokens } from '#canonical';
import { createQuantity } from '../quantity.ts';

/** Counts every byte as a token, up to the model's limit per input, plus what providers add around each. */
const FRAME_TOKENS = 8;

export function boundInputs(
  inputs: readonly EmbeddingInput[],
  { contextLength = Infinity }: Mapping,
): Quantity {
  let total = 0;
  for (const input of inputs) total += Math.min(sizeOf(input), contextLength) + FRAME_TOKENS;
  return createQuantity({ inputUncached: total });
}

export function estimateInputs(inputs: readonly EmbeddingInput[]): number {
  let total = 0;
  for (const input of inputs)
    total += typeof input === 'string' ? estimateTokens(Buffer.byteLength(input)) : input.length;
  return total;
}

function sizeOf(input: EmbeddingInput): number {
  return typeof input === 'string' ? Buffer.byteLength(input) : input.length;
}
