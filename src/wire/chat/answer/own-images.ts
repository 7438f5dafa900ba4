import type { Block, MediaBlock } from '#canonical';
import type { ChatAnswerImage } from './answer-schema.ts';
import type { ChatImage } from '../schema.ts';
import type { Unchecked } from '../../body/unchecked.ts';
import { isObject } from '../../body/read-field.ts';
import { decodeAddress, encodeDataUrl } from '../../media/data-url.ts';

/** Decodes an entry of `message.images` or `delta.images`, where compatible providers put generated images. */
export function decodeOwnImage(value: Unchecked<ChatImage> | undefined): MediaBlock | undefined {
  const image = isObject(value) ? value.image_url : undefined;
  const url = isObject(image) ? image.url : image;
  if (typeof url !== 'string' || url === '') return undefined;
  return { type: 'media', kind: 'image', ...decodeAddress(url) };
}

/** Encodes an image as such an entry; undefined for other blocks. */
export function encodeOwnImage(block: Block, index: number): ChatAnswerImage | undefined {
  if (block.type !== 'media' || block.kind !== 'image') return undefined;
  const { source, mediaType = 'image/png' } = block;
  const url =
    'base64' in source ? encodeDataUrl(source.base64, mediaType) : 'url' in source ? source.url : undefined;
  return url === undefined ? undefined : { index, type: 'image_url', image_url: { url } };
}

export function encodeOwnImages(blocks: readonly Block[]): ChatAnswerImage[] {
  const images: ChatAnswerImage[] = [];
  for (const block of blocks) {
    const image = encodeOwnImage(block, images.length);
    if (image) images.push(image);
  }
  return images;
}
