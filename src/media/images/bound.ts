import type { Mapping, UnitCount } from '#catalogue';
import type { Quantity } from '../contract.ts';
import type { ImageRequest } from './request.ts';
import { estimateTokens } from '#canonical';
import { findUnitPrice } from '#catalogue';
import { refuseUnsupported } from '#wire';
import { createQuantity } from '../quantity.ts';

const FRAME_TOKENS = 256;
/** More than any provider charges for one input image. */
const MOST_INPUT_TOKENS = 8_192;
const USUAL_INPUT_TOKENS = 1_500;
/** Held for one output image if the catalogue sets no figure; high quality at the usual sizes is 6,240. */
const MOST_OUTPUT_TOKENS = 16_384;
const USUAL_OUTPUT_TOKENS = 1_584;
/** Text tokens of models that think before they generate an image. */
const MOST_TEXT_TOKENS = 4_096;

/** The maximum cost of images: the most tokens, or the requested number at the most expensive possible size. */
export function boundImages(request: ImageRequest, mapping: Mapping): Quantity {
  const { n = 1, prompt } = request.fields;
  const tokens = {
    inputUncached: Buffer.byteLength(prompt) + FRAME_TOKENS,
    inputImage: request.inputImages * MOST_INPUT_TOKENS,
    outputImage: n * Math.min(mapping.maxOutput ?? MOST_OUTPUT_TOKENS, MOST_OUTPUT_TOKENS),
    outputText: MOST_TEXT_TOKENS,
  };
  return createQuantity(tokens, countImages(request, mapping, n));
}

export function estimateImages(request: ImageRequest, mapping: Mapping): Quantity {
  const { n = 1, prompt } = request.fields;
  const tokens = {
    inputUncached: estimateTokens(Buffer.byteLength(prompt)),
    inputImage: request.inputImages * USUAL_INPUT_TOKENS,
    outputImage: n * USUAL_OUTPUT_TOKENS,
  };
  return createQuantity(tokens, countImages(request, mapping, n));
}

/** Whether a mapping charges by the image. */
export function isPricedByImage({ price }: Mapping): boolean {
  return Object.keys(price?.units?.perImage ?? {}).length > 0;
}

/** Counts images as a mapping charges for them; refuses a size without a price. */
export function countImages(request: ImageRequest, mapping: Mapping, count: number): UnitCount[] {
  if (!isPricedByImage(mapping)) return [];
  return [{ unit: 'image', kind: findKind(request, mapping), count }];
}

function findKind({ fields: { size = 'auto' } }: ImageRequest, { price, providerId }: Mapping): string {
  const amounts = price?.units?.perImage ?? {};
  if (size !== 'auto') {
    if (findUnitPrice(amounts, size) !== undefined) return size;
    return refuseUnsupported(
      'size',
      `${providerId} has no price for this; it supports ${Object.keys(amounts).join(', ')}`,
    );
  }
  const mostExpensive = Object.entries(amounts).reduce((most, one) => (one[1] > most[1] ? one : most));
  return 'default' in amounts ? 'default' : mostExpensive[0];
}
