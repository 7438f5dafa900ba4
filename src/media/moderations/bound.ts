import type { ModerationsRequest } from './request.ts';

const FRAME_TOKENS = 64;
/** More than any provider charges for one image. */
const MOST_IMAGE_TOKENS = 8_192;

/** Bytes of text, and images. */
interface Size {
  bytes: number;
  images: number;
}

export function measureInput({ input }: ModerationsRequest): Size {
  const size: Size = { bytes: 0, images: 0 };
  for (const item of typeof input === 'string' ? [input] : input) {
    if (typeof item === 'string') size.bytes += Buffer.byteLength(item);
    else if (item.type === 'text') size.bytes += Buffer.byteLength(item.text);
    else size.images += 1;
  }
  return size;
}

/** Counts every byte as a token, and images at their maximum. */
export function boundInput({ bytes, images }: Size): number {
  return bytes + images * MOST_IMAGE_TOKENS + FRAME_TOKENS;
}
