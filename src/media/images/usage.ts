import type { JsonValue } from '#base';
import type { Mapping } from '#catalogue';
import type { Quantity } from '../contract.ts';
import type { ImageRequest } from './request.ts';
import { isJsonObject } from '#base';
import { isBelievable, toCount } from '#canonical';
import { createQuantity } from '../quantity.ts';
import { countImages, isPricedByImage } from './bound.ts';

/** The number of images and the reported tokens; `undefined` if tokens are charged but none were reported. */
export function readImageUsage(
  request: ImageRequest,
  mapping: Mapping,
  { usage, images }: { usage: JsonValue | undefined; images: number },
): Quantity | undefined {
  const units = countImages(request, mapping, images);
  const reported = isJsonObject(usage) && isBelievable(usage) ? usage : {};
  const input = toCount(reported['input_tokens']);
  const output = toCount(reported['output_tokens']);
  if (input + output === 0) return isPricedByImage(mapping) ? createQuantity({}, units) : undefined;
  const inputImage = Math.min(input, readDetail(reported['input_tokens_details'], 'image_tokens') ?? 0);
  const outputText = Math.min(output, readDetail(reported['output_tokens_details'], 'text_tokens') ?? 0);
  return createQuantity(
    { inputUncached: input - inputImage, inputImage, outputText, outputImage: output - outputText },
    units,
  );
}

function readDetail(details: JsonValue | undefined, name: string): number | undefined {
  return isJsonObject(details) && details[name] !== undefined ? toCount(details[name]) : undefined;
}

/** Adds the usage of two events of one answer. */
export function addQuantities(a: Quantity | undefined, b: Quantity | undefined): Quantity | undefined {
  if (!a || !b) return a ?? b;
  const usage = { ...a.usage };
  for (const part of Object.keys(usage) as (keyof typeof usage)[]) usage[part] += b.usage[part];
  const [first] = a.units;
  const count = (first?.count ?? 0) + (b.units[0]?.count ?? 0);
  return createQuantity(usage, first ? [{ ...first, count }] : b.units);
}
