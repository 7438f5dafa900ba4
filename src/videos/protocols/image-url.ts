import type { OrderImage } from '../video-order.ts';

/** An image as a URL; its bytes as a data URL. */
export function toImageUrl(image: OrderImage): string {
  return 'url' in image ? image.url : `data:${image.mediaType};base64,${image.bytes.toString('base64')}`;
}
